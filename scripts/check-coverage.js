// Every clause of spec/clauses.md has a test, and every `// Proves: …` above a test names clauses of it. `--list` prints the tests of each clause.
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { filesBelow, root } from './paths.js';

const clauses = new Map(
  [...readFileSync(join(root, 'spec/clauses.md'), 'utf8').matchAll(/^- ([\w.]+) (.+)$/gm)].map(([, id, clause]) => [
    id,
    { clause, tests: [] },
  ]),
);
const problems = [];

for (const file of ['packages', 'tests'].flatMap((folder) => filesBelow(join(root, folder), ['.ts']))) {
  for (const [, ids, next] of readFileSync(file, 'utf8').matchAll(/^ *\/\/ Proves: (.+)\n(?: *\/\/.*\n)*(.*)/gm)) {
    if (!/^ *(it|test|describe)\b/.test(next))
      problems.push(`${relative(root, file)}: no test follows "Proves: ${ids}"`);
    for (const id of ids.split(', ')) {
      if (clauses.has(id)) clauses.get(id).tests.push(`${relative(root, file)} ${next.trim()}`);
      else problems.push(`${relative(root, file)}: spec/clauses.md has no clause ${id}`);
    }
  }
}

for (const [id, { clause, tests }] of clauses) {
  if (tests.length === 0) problems.push(`${id}: no test proves "${clause}"`);
  if (process.argv.includes('--list')) console.log(`${id}\t${clause}\n${tests.map((test) => `\t${test}\n`).join('')}`);
}
for (const problem of problems) console.error(problem);
console.log(`${clauses.size} clauses, each with a test: ${problems.length === 0 ? 'yes' : 'no'}`);
process.exit(problems.length > 0 ? 1 : 0);
