import { join } from 'node:path';
import { FAMILY_ALIASES } from '@figurehead/contract/document/fonts';

/** Settings of fontconfig with its own fonts alone. */
export interface FontSettings {
  readonly folders: readonly string[];
  /** Of fontconfig. */
  readonly cacheFolder: string;
  /** Families for letters that a text's own family lacks, in order of preference. */
  readonly standIns: readonly string[];
  /** Names beside those that the product knows, and the family that replaces each. */
  readonly aliases?: readonly (readonly [name: string, family: string])[];
  /** Lower-case names that are families here. */
  readonly isOwn?: ReadonlySet<string>;
}

/** The file for `FONTCONFIG_FILE`. */
export function fontSettings({
  folders,
  cacheFolder,
  standIns,
  aliases = [],
  isOwn = new Set(),
}: FontSettings): string {
  const replaced = [...Object.entries(FAMILY_ALIASES).filter(([name]) => !isOwn.has(name)), ...aliases].map(
    ([name, family]) =>
      `<alias binding="same"><family>${escaped(name)}</family><accept><family>${escaped(family)}</family></accept></alias>`,
  );
  const last = standIns.map((family) => `<string>${escaped(family)}</string>`);
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
${folders.map((one) => `<dir>${escaped(one)}</dir>`).join('\n')}
<cachedir>${escaped(join(cacheFolder, 'fontconfig'))}</cachedir>
${replaced.join('\n')}
<match target="pattern"><edit name="family" mode="append_last" binding="weak">${last.join('')}</edit></match>
</fontconfig>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
