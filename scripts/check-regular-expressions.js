// `npm run check`: every regular expression of the product takes linear time in the length of any text.
//
// JavaScript's engine backtracks, and searches from every character of a text: `/ +$/` on 100 000 spaces already stops an
// event loop for seconds. recheck analyses each literal, each `RegExp(…)` and each `pattern` of a JSON schema; an expression that
// it cannot prove linear fails as well. Replace a flagged expression by a linear one, a parser or string functions; there are no
// exceptions. `node scripts/check-regular-expressions.js FILE…` checks only these files.
import { readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
// Uses only its JavaScript version: the native programs and the Java archive of the package take 52 MB and give the same results.
import recheck from 'recheck/lib/browser.js';
import ts from 'typescript';
import { filesBelow, root } from './paths.js';

/** recheck is limited by numbers of steps, not by time, and its random texts have a seed: a busy machine gives the same results. */
const REPRODUCIBLE = { timeout: null, attackTimeout: null, incubationTimeout: null, randomSeed: 1 };

const named = process.argv.slice(2).map((file) => resolve(file));
const sources = (named.length > 0 ? named : filesBelow(join(root, 'packages'), ['.ts', '.tsx'])).filter(
  (file) => named.length > 0 || (/[/\\]src[/\\]/.test(file) && !/\.(?:test|d)\.tsx?$/.test(file)),
);
const found = sources.flatMap(expressionsIn);
const verdicts = new Map();

let problems = 0;
for (const { place, pattern, flags } of found) {
  const expression = `/${pattern}/${flags}`;
  if (!verdicts.has(expression)) verdicts.set(expression, problemOf({ pattern, flags }));
  const problem = verdicts.get(expression);
  if (problem === undefined) continue;
  problems++;
  console.error(`${place}  ${pattern === undefined ? '' : `/${pattern}/${flags}  `}${problem}`);
}
console.log(`${found.length} regular expressions, ${verdicts.size} different ones, ${problems} not linear`);
process.exitCode = problems === 0 ? 0 : 1;

function problemOf({ pattern, flags }) {
  if (pattern === undefined) return 'is built at run time and cannot be proven';
  if (!repeats(pattern)) return undefined;
  const { status, complexity, error } = recheck.checkSync(pattern, flags, REPRODUCIBLE);
  if (status === 'safe') return undefined;
  return status === 'vulnerable' ? complexity.summary : `not proven: ${error?.kind}`;
}

/** An expression without a repetition reads a bounded number of characters from each position. */
function repeats(pattern) {
  return /[*+{]/.test(pattern.replace(/\\[pP]\{[^{}]*\}|\\u\{[^{}]*\}|\\[^pPu]/g, ''));
}

/** Expressions of a file with their positions; `pattern` is undefined when it is not a single literal. */
function expressionsIn(file) {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const expressions = [];
  const add = (node, text, flags) => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart());
    expressions.push({ place: `${relative(root, file)}:${line + 1}`, pattern: text, flags });
  };
  const visit = (node) => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      add(node, node.text.slice(1, end), node.text.slice(end + 1));
    } else if (isRegExpCall(node)) {
      const [pattern, flags] = node.arguments ?? [];
      const isCopy = pattern !== undefined && ts.isRegularExpressionLiteral(pattern);
      if (!isCopy) add(node, textOf(pattern), flags === undefined ? '' : (textOf(flags) ?? ''));
    } else if (ts.isPropertyAssignment(node) && /^pattern(?:Properties)?$/.test(node.name.getText())) {
      for (const text of patternsOf(node.initializer)) add(node, text, 'u');
    } else if (ts.isCallExpression(node) && isTextSearch(node)) {
      add(node, textOf(node.arguments[0]), '');
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return expressions;
}

function isRegExpCall(node) {
  return (ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === 'RegExp';
}

/** `text.match('…')` converts its string to a regular expression. */
function isTextSearch({ expression, arguments: [argument] }) {
  return (
    ts.isPropertyAccessExpression(expression) &&
    /^(?:match|matchAll|search)$/.test(expression.name.text) &&
    argument !== undefined &&
    ts.isStringLiteralLike(argument)
  );
}

/** Patterns of a JSON schema: a text, or the keys of `patternProperties`. */
function patternsOf(value) {
  if (ts.isStringLiteralLike(value)) return [value.text];
  return ts.isObjectLiteralExpression(value) ? value.properties.map(({ name }) => textOf(name)) : [];
}

function textOf(node) {
  return node !== undefined && ts.isStringLiteralLike(node) ? node.text : undefined;
}
