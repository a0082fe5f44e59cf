import type sharp from 'sharp';

/**
 * Gives sharp, loaded on first use: it costs a thread that only encodes 12 MB and 0.1 s. Its cache of operations is switched off: nothing here
 * decodes the same bytes twice, and what it held after one presenter pack was 40 MB.
 */
export async function loadSharp(): Promise<typeof sharp> {
  const { default: loaded } = await import('sharp');
  loaded.cache(false);
  return loaded;
}
