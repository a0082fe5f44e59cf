import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';

interface Row {
  readonly name: string;
  readonly sent: number;
  readonly not200: string;
  readonly fiveHundreds: number;
  readonly backMs: number | null;
}

// One attack that aborts and one that holds connections; those on sign-ins are in the API's own tests
// (kernel/http/pressure.test.ts).
const ATTACKS = ['aborted-uploads', 'slow-headers'];

// Response times are judged by `npm run pressure` on an otherwise idle machine.
it('a server with aborted or held connections answers other callers, and afterwards all of them', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'fh-pressure-'));
  try {
    const file = join(folder, 'rows.json');
    const program = ['tests/pressure/run.js', '--only', ATTACKS.join(','), '--json', file];
    // Its exit status also depends on response times.
    const output = await new Promise<string>((resolve) => {
      execFile(process.execPath, program, (_error, stdout, stderr) => resolve(stdout + stderr));
    });
    const { rows } = JSON.parse(await readFile(file, 'utf8').catch(() => `{"rows":${JSON.stringify(output)}}`)) as {
      rows: Row[];
    };
    expect(rows.map(({ name }) => name)).toEqual(ATTACKS);
    for (const row of rows) {
      expect(row.sent).toBeGreaterThanOrEqual(100);
      expect([row.name, row.fiveHundreds, row.not200]).toEqual([row.name, 0, expect.stringMatching(/^0 of [1-9]/)]);
      expect(row.backMs).not.toBeNull();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
