// `npm run check`, step "wording": the places listed below do not contain the phrases of docs/style.md that confuse readers.
// Prints file:line, the phrase and its sentence. Files named with their folder must exist.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.js';

/** Checked folders and files: Markdown, texts and comments of sources, comments of configuration files. */
const CHECKED = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'bench',
  'deploy',
  'docs',
  'examples',
  'packages/console/src',
  'packages/contract/src',
  'packages/media/src',
  'packages/presenter/src',
  'packages/sdk/src',
  'packages/server/migrations',
  'packages/server/src',
  'presenters/FORMAT.md',
  'presenters/README.md',
  'presenters/studio',
  'scripts',
  'tests',
];

const READ = /\.(md|ts|tsx|js|ya?ml|service|timer|example|sql)$|(Dockerfile|Caddyfile)$/;

/** docs/style.md quotes the phrases, a list of package names is not prose, and the layouts contain sample speech. */
const EXCEPT = new Set([
  'docs/style.md',
  'docs/licences.md',
  'scripts/check-wording.js',
  'packages/contract/src/layouts/videos.ts',
]);

/** Phrase and what to write instead. A space in a pattern also matches a line break. */
const PHRASES = [
  ['anew', 'again, or re-render'],
  ['whoever|whichever', 'name the actor: a process, a user, an administrator'],
  ['nobody|somebody|anybody', 'name the actor, or "no user", "another process"'],
  ['of (ours|yours)', '"our" or "your" before the noun'],
  [
    '(?<!there )(is|are) no (?!(longer|more|less|slower|fewer|worse|better|larger|such|different)\\b)',
    '"is not a", or say what it is',
  ],
  ['only who|who operates|who sends', 'name the actor: an administrator, a caller that sends'],
  ['talking people', 'presenters'],
  ['stands? (in|on|at|for ever|off|against|upright)|stood (in|on|at)', 'is, is in, is set to'],
  ['(lies|lie|lay) (in|under|on|over|anywhere|beside|between)', 'is in, is stored in'],
  ['(rests|rested|resting) in|at rest in his', 'is idle'],
  ['(presenter|host|process|worker|role|server|killed) (\\w+ ){0,4}his', 'its'],
  ['for ever|ever so', 'forever, indefinitely'],
  ['(was|were|is|being|none|machine) at hand', 'available'],
  ['strangers', 'untrusted, unknown users'],
  ['(is|are|was) wanted', 'needed'],
  ['(a|per) row each', 'one per row'],
  ['it is well|is it well', 'health checks'],
  ['(frames|pictures|bits|times|rows|messages|sounds) a second', 'per second'],
  ['made of (it|one|a portrait)', 'made from'],
  ['has no business', 'must not be'],
  ['without a word', 'silently'],
  ['(tells|told) (of|whether|what|when|which|that|apart)', 'reports, says, distinguishes'],
  ['doings', 'actions'],
  ['who (opens|creates|makes|starts) it (closes|ends)', 'the creator closes it'],
  ['has its place', 'is scheduled, is stored'],
  ['(cannot|can) be had', 'available'],
  ['as it is spelt by|as browsers spell', 'in the form of'],
  ['goes on where|go on where', 'continues'],
];

/** A conditional that starts with its verb and goes on without "if": "Comes it from a relay, it …". Questions end with "?". */
const INVERTED =
  /(?<=[.;:]\s+)(Does|Do|Is|Are|Has|Have|Comes|Should)\s(it|one|he|she|they|a|an|the)\b[^.?!;]*,[^.?!;]*\./g;

const patterns = PHRASES.map(([phrase, instead]) => ({
  find: new RegExp(`\\b(?:${phrase.replaceAll(' ', '\\s+')})(?<=\\s|\\b)`, 'gi'),
  instead,
}));
patterns.push({ find: INVERTED, instead: 'if …' });

/** The text with code blanked out, at the same offsets. */
function prose(file, text) {
  const blank = (match) => match.replace(/[^\n]/g, ' ');
  const marks = /^(\s*(\*|\/\/|#)+)/gm;
  if (/\.[jt]sx?$/.test(file)) return commentsAndSentences(text).replace(marks, blank);
  if (!file.endsWith('.md')) return text.replace(marks, blank);
  return text
    .replace(/^```[\s\S]*?^```/gm, blank)
    .replace(/`[^`\n]*`/g, blank)
    .replace(/›[^|\n]*/g, blank)
    .replace(/\]\([^)\n]*\)/g, blank);
}

/** Comments and strings of several words of a source, at the same offsets; identifiers and single words are not prose. */
function commentsAndSentences(text) {
  let kept = '';
  const tokens = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g;
  for (const { 0: token, index } of text.matchAll(tokens)) {
    if (!token.startsWith('/') && !token.includes(' ')) continue;
    kept += text.slice(kept.length, index).replace(/[^\n]/g, ' ') + token;
  }
  return kept;
}

/** A file named with its folder, such as `kernel/http/closing.ts`; relative paths, addresses and patterns are not checked. */
const NAMED = /(?<![\w@./:*{$-])(?:[\w-]+\/)+[\w.-]+\.(?:[jt]sx?|sql|py)\b/g;
/** Files of packages and of users, and examples of names. */
const FOREIGN = /^(node_modules|simli-client|embed|B)\/|NNNN/;

/** Every tail of every path: a file may be named from any folder on. */
const tails = new Set(
  execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .flatMap((path) => path.split('/').map((_, from, parts) => parts.slice(from).join('/'))),
);

function isMissing(name) {
  return !FOREIGN.test(name) && !tails.has(name) && !tails.has(name.replace(/\.js$/, '.ts'));
}

function filesOf(place) {
  if (statSync(join(root, place)).isFile()) return [place];
  return readdirSync(join(root, place), { recursive: true })
    .map((name) => `${place}/${name}`)
    .filter((name) => READ.test(name) && !name.includes('/node_modules/'));
}

function sentenceAt(text, index) {
  const start = Math.max(
    text.lastIndexOf('. ', index),
    text.lastIndexOf('\n\n', index),
    text.lastIndexOf('| ', index),
    0,
  );
  const ends = ['. ', '.\n', '\n\n', ' |'].map((end) => text.indexOf(end, index)).filter((at) => at >= 0);
  return text
    .slice(start, Math.min(...ends, text.length) + 1)
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 200);
}

const listed = process.argv.slice(2);
const files = (listed.length > 0 ? listed : CHECKED).flatMap(filesOf);
let found = 0;
for (const file of [...new Set(files)].sort()) {
  if (EXCEPT.has(file)) continue;
  const text = readFileSync(join(root, file), 'utf8');
  const searched = prose(file, text);
  const lineAt = (index) => text.slice(0, index).split('\n').length;
  for (const { 0: name, index } of (file.endsWith('.md') ? text : searched).matchAll(NAMED)) {
    if (!isMissing(name)) continue;
    console.error(`${file}:${lineAt(index)}: there is no file ${name}`);
    found += 1;
  }
  for (const { find, instead } of patterns) {
    for (const match of searched.matchAll(find)) {
      const phrase = match[0].trim().slice(0, 40);
      console.error(`${file}:${lineAt(match.index)}: "${phrase}" (${instead}): ${sentenceAt(text, match.index)}`);
      found += 1;
    }
  }
}
if (found > 0) console.error(`${found} places to reword (docs/style.md)`);
process.exit(found > 0 ? 1 : 0);
