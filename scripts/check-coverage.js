// spec/coverage.json names, for every clause of the specification, the tests that prove it. Fails when a clause has
// none, or when a named title does not exist. `--list` prints the table.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.js';

const { clauses } = JSON.parse(readFileSync(join(root, 'spec/coverage.json'), 'utf8'));
const sources = new Map();
const problems = [];

function sourceOf(file) {
  if (!sources.has(file)) {
    try {
      sources.set(file, readFileSync(join(root, file), 'utf8'));
    } catch {
      sources.set(file, undefined);
    }
  }
  return sources.get(file);
}

const ids = new Set();
for (const { id, clause, tests } of clauses) {
  if (ids.has(id)) problems.push(`${id}: listed twice`);
  ids.add(id);
  if (tests.length === 0) problems.push(`${id}: no test proves "${clause}"`);
  for (const { file, test } of tests) {
    const source = sourceOf(file);
    if (source === undefined) problems.push(`${id}: ${file} does not exist`);
    else if (!["'", '`'].some((quote) => source.includes(quote + test + quote)))
      problems.push(`${id}: ${file} has no test "${test}"`);
  }
  if (process.argv.includes('--list')) console.log(`${id}\t${clause}\t${tests.map((t) => t.test).join(' | ')}`);
}

for (const problem of problems) console.error(problem);
console.log(`${clauses.length} clauses, ${clauses.filter((c) => c.tests.length > 0).length} with tests`);
process.exit(problems.length > 0 ? 1 : 0);
