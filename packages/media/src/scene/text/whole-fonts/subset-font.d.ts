declare module 'subset-font' {
  /** Subsets a font (also WOFF2) to the characters of `text` and fixes its variable axes. */
  export default function subsetFont(
    font: Buffer,
    text: string,
    options: { targetFormat: 'truetype'; variationAxes?: Readonly<Record<string, number>> },
  ): Promise<Buffer>;
}
