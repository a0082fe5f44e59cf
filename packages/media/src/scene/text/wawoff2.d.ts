declare module 'wawoff2' {
  /** Unpacks a WOFF2 font into an sfnt file. Rejects any other file. */
  export function decompress(font: Uint8Array): Promise<Uint8Array>;
}
