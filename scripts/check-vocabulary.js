// No list of values exists twice: a union, an array or a set of literals outside packages/contract that repeats a table or an enumeration
// of the contract must be derived from it. A subset is allowed if `satisfies` lets the compiler compare it.
// No name means two things: an exported class, interface or type has a name that no other one has.
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import * as contract from '@figurehead/contract';
import ts from 'typescript';
import { filesBelow, root } from './paths.js';

/** Shorter lists are ignored. */
const LEAST = 3;

/** Values of the contract by their list: keys of tables, lists of constants, enumerations and unions in schemas. */
const vocabulary = new Map();

function learn(place, words) {
  const list = new Set(words);
  if (list.size >= LEAST) vocabulary.set(place, list);
}

function explore(place, value, seen = new Set()) {
  if (value === null || typeof value !== 'object' || seen.has(value)) return;
  seen.add(value);
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) learn(place, value);
  else if (Array.isArray(value.anyOf) && value.anyOf.every((one) => typeof one.const === 'string')) {
    learn(
      place,
      value.anyOf.map((one) => one.const),
    );
  } else {
    for (const [key, inner] of Object.entries(value)) {
      if (key !== 'required') explore(`${place}.${key}`, inner, seen);
    }
  }
}

for (const [name, value] of Object.entries(contract)) {
  const isTable = /^[A-Z_]+$/.test(name) && typeof value === 'object' && !Array.isArray(value) && !('type' in value);
  if (isTable) learn(name, Object.keys(value));
  explore(name, value);
}

/** The values of a node, if it is a list of literals. */
function wordsOf(node) {
  if (ts.isUnionTypeNode(node)) {
    return node.types.flatMap((type) =>
      ts.isLiteralTypeNode(type) && ts.isStringLiteral(type.literal) ? [type.literal.text] : [],
    );
  }
  if (!ts.isArrayLiteralExpression(node) || !node.elements.every(ts.isStringLiteral)) return [];
  return node.elements.map((element) => element.text);
}

/** `Omit<Row, 'a' | 'b'>` and similar types, whose values the compiler already compares. */
function isCompared(node, isPart) {
  if (ts.isUnionTypeNode(node)) return ts.isTypeReferenceNode(node.parent) && node.parent.typeArguments[0] !== node;
  let around = node.parent;
  while ([ts.isAsExpression, ts.isParenthesizedExpression, ts.isArrayLiteralExpression].some((is) => is(around)))
    around = around.parent;
  return isPart && ts.isSatisfiesExpression(around);
}

const problems = [];
/** Place of each exported class, interface and type by its name. */
const types = new Map();

function learnType(node, place) {
  const isType = [ts.isClassDeclaration, ts.isInterfaceDeclaration, ts.isTypeAliasDeclaration].some((is) => is(node));
  if (!isType || !node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return;
  const name = node.name.text;
  const first = types.get(name);
  if (first === undefined) types.set(name, place);
  else problems.push(`${place}: ${name} has another meaning in ${first}: use another name`);
}

for (const file of filesBelow(join(root, 'packages'), ['.ts', '.tsx'])) {
  const name = relative(root, file);
  if (!/^packages\/\w+\/src\//.test(name) || /\.test\.tsx?$/.test(name)) continue;
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  for (const node of source.statements) {
    learnType(node, `${name}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`);
  }
  if (name.startsWith('packages/contract/')) continue;
  const visit = (node) => {
    const words = wordsOf(node);
    const found =
      words.length < LEAST ? undefined : [...vocabulary].find(([, list]) => words.every((word) => list.has(word)));
    if (found !== undefined && !isCompared(node, new Set(words).size < found[1].size)) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      problems.push(`${name}:${line + 1}: ${words.join(', ')}: derive this from the contract's ${found[0]}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
}

for (const problem of problems) console.error(problem);
process.exit(problems.length > 0 ? 1 : 0);
