import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';

let prepared: Promise<void> | undefined;

/**
 * Before an SVG drawing with text is opened: makes the shipped fonts those of fontconfig, which draws it. Fontconfig reads its settings once, so the
 * process begins with `FONTCONFIG_FILE` in a folder of its own, in which 640 fonts (45 MB) are written in some seconds when a drawing first needs them.
 */
export async function prepareDrawingFonts(picture: Uint8Array): Promise<void> {
  const settings = process.env['FONTCONFIG_FILE'];
  if (settings === undefined || !hasText(picture)) return;
  prepared ??= writeFonts(settings).catch((error: unknown) => {
    prepared = undefined;
    throw error;
  });
  await prepared;
}

/** Whether it is a drawing with text, in UTF-8, UTF-16 or an encoding that extends ASCII. */
function hasText(picture: Uint8Array): boolean {
  const bytes = Buffer.from(picture.buffer, picture.byteOffset, picture.byteLength);
  const contains = (word: string): boolean =>
    bytes.includes(word) || bytes.includes(word, 'utf16le') || bytes.includes(Buffer.from(word, 'utf16le').swap16());
  return contains('svg') && contains('text') && contains('http://www.w3.org/2000/svg');
}

async function writeFonts(settings: string): Promise<void> {
  const [catalogue, { readSlices }, { fontSettings }, { default: wawoff2 }] = await Promise.all([
    import('./font-catalogue.js'),
    import('./font-slices.js'),
    import('./whole-fonts/font-settings.js'),
    import('wawoff2'),
  ]);
  const { HAN_FAMILIES, METRIC_FAMILIES, SCRIPT_FAMILIES, SYMBOLS, TEXT_FAMILIES } = catalogue;
  const families = [...TEXT_FAMILIES, ...METRIC_FAMILIES, ...SCRIPT_FAMILIES, ...Object.values(HAN_FAMILIES), SYMBOLS];
  const require = createRequire(import.meta.url);
  const folder = dirname(settings);
  const standIns = families.map(({ family }) => family);
  const wanted = fontSettings({ folders: [folder], cacheFolder: folder, standIns });
  const found = (): Promise<string> => readFile(settings, 'utf8').catch(() => '');
  const existing = await found();
  if (existing === wanted) return;
  // Those of an earlier version.
  if (existing !== '') await rm(folder, { recursive: true, force: true });
  await mkdir(dirname(folder), { recursive: true });
  const part = await mkdtemp(`${folder}.`);
  try {
    for (const file of families.flatMap((entry) => readSlices(entry, require)).flatMap(({ files }) => files))
      await writeFile(
        join(part, basename(file, '.woff2').concat('.ttf')),
        await wawoff2.decompress(await readFile(file)),
      );
    await writeFile(join(part, basename(settings)), wanted);
    // Another process may have been first.
    await rename(part, folder).catch(async (error: unknown) => {
      if ((await found()) !== wanted) throw error;
    });
  } finally {
    await rm(part, { recursive: true, force: true });
  }
}
