// The prose of pages, comments and messages is without the phrases of docs/style.md that confuse readers, and names existing files only.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.js';

const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
const READ = /\.(md|ts|tsx|js|ya?ml|service|timer|example|sql)$|(Dockerfile|Caddyfile)$/;
/** The specification's texts are given; docs/style.md quotes the phrases, package names are not prose, layouts contain sample speech. */
const EXCEPT =
  /^(\.|spec\/|presenters\/(packs|portraits)|docs\/(style|licences)\.md|scripts\/check-wording\.js|packages\/contract\/src\/layouts\/videos\.ts)/;

/** Phrase and what to write instead. A space in a pattern also matches a line break. */
const PHRASES = [
  ['anew', 'again, or re-render'],
  ['whoever|whichever|nobody|somebody|anybody|strangers', 'name the actor: a process, a user, an administrator'],
  ['only who|who operates|who sends', 'name the actor: an administrator, a caller that sends'],
  ['of (ours|yours)', '"our" or "your" before the noun'],
  [
    '(?<!there )(is|are) no (?!(longer|more|less|slower|fewer|worse|better|larger|such|different)\\b)',
    '"is not a", or say what it is',
  ],
  ['stands? (in|on|at|for ever|off|against|upright)|stood (in|on|at)', 'is, is in, is set to'],
  ['(lies|lie|lay) (in|under|on|over|anywhere|beside|between)', 'is in, is stored in'],
  ['(presenter|host|process|worker|role|server|killed) (\\w+ ){0,4}his', 'its'],
  ['for ever|ever so', 'forever, indefinitely'],
  ['(is|are|was) wanted|(was|were|is|being|none|machine) at hand|(cannot|can) be had', 'needed, available'],
  ['(frames|pictures|bits|times|rows|messages|sounds) a second|(a|per) row each', 'per second, one per row'],
  ['(tells|told) (of|whether|what|when|which|that|apart)', 'reports, says, distinguishes'],
];
const patterns = PHRASES.map(([phrase, instead]) => ({
  find: new RegExp(`\\b(?:${phrase.replaceAll(' ', '\\s+')})(?<=\\s|\\b)`, 'gi'),
  instead,
}));

/** A file named with its folder, such as `kernel/http/closing.ts`; relative paths, addresses, patterns and users' files are not checked. */
const NAMED =
  /(?<![\w@./:*{$-])(?!node_modules\/|simli-client\/|embed\/|B\/)(?:[\w-]+\/)+[\w.-]+\.(?:[jt]sx?|sql|py)\b/g;
/** Every tail of every path: a file may be named from any folder on. */
const tails = new Set(tracked.flatMap((path) => path.split('/').map((_, from, parts) => parts.slice(from).join('/'))));
const exists = (name) => name.includes('NNNN') || tails.has(name) || tails.has(name.replace(/\.js$/, '.ts'));

const blank = (match) => match.replace(/[^\n]/g, ' ');

/** The text with code blanked out, at the same offsets. Comments and strings of several words are the prose of a source. */
function prose(file, text) {
  const marks = /^(\s*(\*|\/\/|#)+)/gm;
  if (file.endsWith('.md')) return text.replace(/^```[\s\S]*?^```|`[^`\n]*`|›[^|\n]*|\]\([^)\n]*\)/gm, blank);
  if (!/\.[jt]sx?$/.test(file)) return text.replace(marks, blank);
  let kept = '';
  const tokens = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g;
  for (const { 0: token, index } of text.matchAll(tokens)) {
    if (token.startsWith('/') || token.includes(' ')) kept += blank(text.slice(kept.length, index)) + token;
  }
  return kept.replace(marks, blank);
}

let found = 0;
for (const file of tracked.filter((name) => READ.test(name) && !EXCEPT.test(name) && existsSync(join(root, name)))) {
  const text = readFileSync(join(root, file), 'utf8');
  const searched = prose(file, text);
  const report = (index, problem) => {
    console.error(`${file}:${text.slice(0, index).split('\n').length}: ${problem}`);
    found += 1;
  };
  for (const { 0: name, index } of (file.endsWith('.md') ? text : searched).matchAll(NAMED))
    if (!exists(name)) report(index, `there is no file ${name}`);
  for (const { find, instead } of patterns)
    for (const { 0: phrase, index } of searched.matchAll(find)) report(index, `"${phrase.trim()}" (${instead})`);
}
process.exit(found > 0 ? 1 : 0);
