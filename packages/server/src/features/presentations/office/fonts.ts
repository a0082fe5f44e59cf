import { copyFile, link, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { BLANK_EMOJI, blankEmojiFont, fontSettings, OFFICE_DEFAULT, wholeFonts } from '@figurehead/media';
import wawoff2 from 'wawoff2';
import type { TextInventory } from '../reading/text-inventory.js';

/**
 * Folders in which Debian and others install OpenSymbol, LibreOffice's own font for bullets; elsewhere LibreOffice
 * finds it itself.
 */
const OPEN_SYMBOL_FOLDERS = ['/usr/share/fonts/truetype/libreoffice', '/usr/share/fonts/libreoffice-opensymbol-fonts'];

/** Family names of colour emoji in other programs. */
const EMOJI_FAMILIES = ['Noto Color Emoji', 'Segoe UI Emoji', 'Apple Color Emoji', 'Twemoji', 'EmojiOne', 'emoji'];

/** Sources of LibreOffice's fonts. */
export interface OfficeFonts {
  /** Uploaded by the workspace: TrueType, OpenType or WOFF2. */
  readonly own: readonly { readonly family: string; readonly file: string }[];
  /** Caches faces between jobs. */
  readonly cacheFolder: string;
}

/**
 * Prepares the fonts for a text, without the machine's fonts, so that pages look the same everywhere. @returns the file
 * for `FONTCONFIG_FILE`.
 * @param folder of the job, for the fonts, their settings and fontconfig's cache.
 */
export async function layOutFonts(
  folder: string,
  { cacheFolder, own }: OfficeFonts,
  text: Omit<TextInventory, 'shown'> = {
    ...{ families: new Set(), codes: new Set(), languages: new Set(), emoji: new Set() },
  },
): Promise<string> {
  const place = join(folder, 'fonts');
  await mkdir(place, { recursive: true });
  const shipped = await wholeFonts({ ...text, cacheFolder });
  for (const file of [...shipped.files, ...own.map((font) => font.file)]) {
    const copy = join(place, basename(file).replace(/\.woff2$/, '.ttf'));
    // The cache may be on another file system, or not allow links.
    if (file.endsWith('.woff2')) await writeFile(copy, await wawoff2.decompress(await readFile(file)));
    else await link(file, copy).catch(() => copyFile(file, copy));
  }
  if (text.emoji.size > 0) await writeFile(join(place, 'blank-emoji.ttf'), blankEmojiFont(text.emoji));
  const settings = join(folder, 'fonts.conf');
  await writeFile(
    settings,
    fontSettings({
      folders: [place, ...OPEN_SYMBOL_FOLDERS],
      cacheFolder: folder,
      standIns: [OFFICE_DEFAULT, BLANK_EMOJI, ...shipped.families],
      aliases: EMOJI_FAMILIES.map((name) => [name, BLANK_EMOJI]),
      isOwn: new Set(own.map(({ family }) => family.toLowerCase())),
    }),
  );
  return settings;
}
