/** CSS pixels per unit (CSS Values 4 clause 6.2). */
const PX: Readonly<Record<string, number>> = {
  pt: 96 / 72,
  pc: 16,
  in: 96,
  cm: 96 / 2.54,
  mm: 96 / 25.4,
  q: 96 / 101.6,
};

const ROOT = /<(?:\w+:)?svg\s[^<>]*>/;
const SIZE = /((?<![\w-])(?:width|height)\s*(?:=\s*["']|:)\s*)([\d.]+(?:e[+-]?\d+)?)(pt|pc|in|cm|mm|q)\b/gi;

/**
 * A drawing whose size is in pixels. The library scales absolute lengths twice, by the density as resolution and as factor, so that a drawing of
 * 120 pt would be sixteen times too wide at four times the density. Other files are returned as they are.
 */
export function sizedInPixels(file: Uint8Array): Uint8Array {
  // Byte by byte, because the root element is ASCII in every encoding that extends it.
  const text = Buffer.from(file.buffer, file.byteOffset, file.byteLength).toString('latin1');
  const root = ROOT.exec(text)?.[0];
  if (root === undefined) return file;
  const sized = root.replace(SIZE, (_, start: string, length: string, unit: string) => {
    return `${start}${Number(length) * (PX[unit.toLowerCase()] ?? 1)}`;
  });
  return sized === root
    ? file
    : Buffer.from(
        text.replace(root, () => sized),
        'latin1',
      );
}
