import { copyFile, link, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { BLANK_EMOJI, blankEmojiFont, familyAliases, OFFICE_DEFAULT, wholeFonts } from '@figurehead/media';
import wawoff2 from 'wawoff2';
import type { TextInventory } from '../pdf/text-inventory.js';

/**
 * Folders in which Debian and others install OpenSymbol, LibreOffice's own font for bullets; elsewhere LibreOffice
 * finds it itself.
 */
const OPEN_SYMBOL_FOLDERS = ['/usr/share/fonts/truetype/libreoffice', '/usr/share/fonts/libreoffice-opensymbol-fonts'];

/** Family names of colour emoji in other programs. */
const EMOJI_FAMILIES = ['Noto Color Emoji', 'Segoe UI Emoji', 'Apple Color Emoji', 'Twemoji', 'EmojiOne', 'emoji'];

/** A font uploaded by a workspace: TrueType, OpenType or WOFF2. */
export interface OwnFont {
  readonly family: string;
  readonly file: string;
}

/** Inputs of LibreOffice's fonts. */
export interface OfficeFonts {
  readonly textInventory: TextInventory;
  /** Caches faces between jobs. */
  readonly cacheFolder: string;
  readonly own: readonly OwnFont[];
}

/**
 * Prepares the fonts of one conversion, without the machine's fonts, so that pages look the same everywhere. @returns
 * the file for `FONTCONFIG_FILE`.
 * @param folder of the job, for the fonts, their settings and fontconfig's cache.
 */
export async function layOutFonts(folder: string, { textInventory, cacheFolder, own }: OfficeFonts): Promise<string> {
  const place = join(folder, 'fonts');
  await mkdir(place, { recursive: true });
  const { codes, families, languages, emoji } = textInventory;
  const shipped = await wholeFonts({ families, codes: new Set(codes), languages, cacheFolder });
  for (const file of [...shipped.files, ...own.map((font) => font.file)])
    await bring(file, join(place, basename(file)));
  if (emoji.length > 0) await writeFile(join(place, 'blank-emoji.ttf'), blankEmojiFont(emoji));
  const settings = join(folder, 'fonts.conf');
  const isOwn = new Set(own.map(({ family }) => family.toLowerCase()));
  await writeFile(settings, fontSettings({ place, folder, standIns: shipped.families, isOwn }));
  return settings;
}

/** Links or copies into the job's folder: the cache may be on another file system, or not allow links. */
async function bring(from: string, to: string): Promise<void> {
  if (from.endsWith('.woff2')) {
    await writeFile(to.replace(/\.woff2$/, '.ttf'), await wawoff2.decompress(await readFile(from)));
    return;
  }
  await link(from, to).catch(() => copyFile(from, to));
}

function fontSettings(options: {
  place: string;
  folder: string;
  standIns: readonly string[];
  isOwn: ReadonlySet<string>;
}): string {
  const { place, folder, standIns, isOwn } = options;
  const aliases = [
    ...Object.entries(familyAliases()).filter(([name]) => !isOwn.has(name)),
    ...EMOJI_FAMILIES.map((name) => [name, BLANK_EMOJI] as const),
  ].map(
    ([name, family]) =>
      `<alias binding="same"><family>${escaped(name)}</family><accept><family>${escaped(family)}</family></accept></alias>`,
  );
  const last = [OFFICE_DEFAULT, BLANK_EMOJI, ...standIns].map((family) => `<string>${escaped(family)}</string>`);
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
${[place, ...OPEN_SYMBOL_FOLDERS].map((one) => `<dir>${escaped(one)}</dir>`).join('\n')}
<cachedir>${escaped(join(folder, 'fontconfig'))}</cachedir>
${aliases.join('\n')}
<match target="pattern"><edit name="family" mode="append_last" binding="weak">${last.join('')}</edit></match>
</fontconfig>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
