import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const scale = (...options: string[]) =>
  execFileSync(process.execPath, [join(ROOT, 'bench', 'scale.js'), ...options]).toString();
const machines = (page: string, role: string) => Number(new RegExp(`^\\| ${role} \\| (\\d+)`, 'm').exec(page)?.[1]);

describe('the page on scaling', () => {
  it('has the tables of the current measurements', () => {
    const page = readFileSync(join(ROOT, 'docs', 'scaling.md'), 'utf8');
    expect(page.split('<!-- made by bench/scale.js -->\n')[1]?.split('<!-- end -->')[0]).toBe(scale());
    expect(page).toMatch(/\*\*connections of one PostgreSQL/);
  });

  it('needs more machines for more load', () => {
    const [small, large] = [scale('--videosADay', '10000', '--streams', '1000'), scale('--videosADay', '200000')];
    expect(machines(small, 'worker')).toBeLessThan(machines(large, 'worker'));
    expect(machines(small, 'stream host')).toBeLessThan(machines(large, 'stream host'));
  });

  it('names the source of each measured figure', () => {
    const { measured } = JSON.parse(readFileSync(join(ROOT, 'bench', 'figures.json'), 'utf8')) as {
      measured: Record<string, { value: number; unit: string; from: string }>;
    };
    for (const [name, { value, unit, from }] of Object.entries(measured)) {
      expect([name, value > 0, unit.length > 0]).toEqual([name, true, true]);
      const [script] = /bench\/[\w.-]+\.(?:js|md)/.exec(from) ?? ['package.json'];
      expect([name, existsSync(join(ROOT, script))]).toEqual([name, true]);
    }
  });
});
