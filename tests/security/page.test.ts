import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(join(ROOT, 'docs', 'security.md'), 'utf8');

describe('the page on security', () => {
  it('names an existing test for each threat', () => {
    const rows = [...page.matchAll(/^\|.*\| `([^`]+\.test\.ts)` › (.+) \|$/gm)];
    expect(rows.length).toBeGreaterThan(30);
    const missing = rows.filter(([, file = '', title = '']) => {
      const source = readFileSync(join(ROOT, file), 'utf8');
      return !source.includes(`'${title}'`) && !source.includes(`\`${title}\``);
    });
    expect(missing.map(([row]) => row)).toEqual([]);
    const section = page.slice(page.indexOf('## Threats and defences'), page.indexOf('## For the operator'));
    const lines = section.split('\n').filter((line) => line.startsWith('|'));
    // The table has a head, a rule, and a test in every row.
    expect(lines.length - 2).toBe(rows.length);
  });

  it('compares secrets in constant time everywhere', () => {
    const source = join(ROOT, 'packages', 'server', 'src');
    const files = readdirSync(source, { recursive: true })
      .map(String)
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
    const careless = files.flatMap((name) =>
      readFileSync(join(source, name), 'utf8')
        .split('\n')
        .filter((line) =>
          /(?:secret|signature|digest|hmac|token|password|passwordHash)\w* ?[!=]==? ?(?!undefined|null|''|""|typeof|0\b)[\w.]/i.test(
            line,
          ),
        )
        .filter((line) => !/^\s*(?:\/\/|\*)|===? ?'/.test(line))
        .map((line) => `${name}: ${line.trim()}`),
    );
    expect(careless).toEqual([]);
    const guarded = files.filter((name) => readFileSync(join(source, name), 'utf8').includes('timingSafeEqual('));
    expect(guarded.sort()).toEqual(
      expect.arrayContaining([
        'features/operations/role-server.ts',
        'features/streams/host/host-protocol.ts',
        'kernel/passwords.ts',
        'kernel/storage/media-links.ts',
      ]),
    );
  });

  it('lists the licence of every installed package', () => {
    const out = execFileSync(process.execPath, [join(ROOT, 'scripts', 'licences.js'), '--check']).toString();
    expect(out).toMatch(/\d+ × MIT/);
    expect(readFileSync(join(ROOT, 'docs', 'licences.md'), 'utf8')).toContain('| **all** |');
  });
});
