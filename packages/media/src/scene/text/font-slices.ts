import { readFileSync } from 'node:fs';
import type { ShippedFamily } from './font-catalogue.js';

/** One file set for a script: the code points it serves and the name it is registered under. */
export interface Slice {
  readonly alias: string;
  readonly files: readonly string[];
  readonly ranges: readonly (readonly [number, number])[];
}

/** True when the slice serves this code point. */
export function covers(slice: Slice, code: number): boolean {
  return slice.ranges.some(([from, to]) => code >= from && code <= to);
}

/** The slices of a shipped family, Latin letters last. `require` finds its package. */
export function readSlices(entry: ShippedFamily, require: NodeJS.Require): Slice[] {
  const map: unknown = JSON.parse(readFileSync(require.resolve(`${entry.package}/unicode.json`), 'utf8'));
  const faces = entry.weights ?? ['wght'];
  const styles = entry.italic ? ['normal', 'italic'] : ['normal'];
  return Object.entries(map as Record<string, string>).map(([key, ranges]) => {
    const subset = key.replace(/[[\]]/g, '');
    return {
      alias: `fh ${entry.family} ${subset}`,
      files: faces.flatMap((face) =>
        styles.map((style) => require.resolve(`${entry.package}/files/${entry.slug}-${subset}-${face}-${style}.woff2`)),
      ),
      ranges: parseRanges(ranges),
    };
  });
}

/** CSS `unicode-range` without wildcards. */
export function parseRanges(ranges: string): Slice['ranges'] {
  return ranges.split(',').map((range) => {
    const [from = '0', to = from] = range.trim().replace(/^U\+/i, '').split('-');
    return [Number.parseInt(from, 16), Number.parseInt(to, 16)] as const;
  });
}
