import { BLANK_EMOJI, type Fonts, OFFICE_DEFAULT } from '@figurehead/media';
import type { LetterLook } from '../pdf/page-text.js';

const STAND_INS = { sans: OFFICE_DEFAULT, serif: 'Tinos', monospaced: 'Cousine' } as const;

/** Fonts that the warning names. */
const MOST_NAMED = 8;

/** Chooses families of this server for the fonts of PDFs, and remembers the fonts that it lacks. */
export class StandIns {
  readonly #own: ReadonlyMap<string, string>;
  readonly #missing = new Map<string, string>();
  readonly #fonts: Fonts;

  /** @param own the families that the workspace has uploaded. */
  constructor(fonts: Fonts, own: readonly string[]) {
    this.#fonts = fonts;
    this.#own = new Map(own.map((family) => [plain(family), family]));
  }

  /** The family that draws text like this. */
  familyOf({ font, kind }: LetterLook): string {
    if (font.startsWith(plain(BLANK_EMOJI, false))) return OFFICE_DEFAULT;
    const family = familyIn(font);
    const own = this.#own.get(plain(family));
    if (own !== undefined) return own;
    if (this.#fonts.has(family)) return family;
    // Its scripts are drawn by the families that every other one falls back to.
    if (!/^Noto |^Open ?Symbol/.test(family)) this.#missing.set(family, STAND_INS[kind]);
    return STAND_INS[kind];
  }

  /** Notes fonts that a deck names and LibreOffice has replaced. */
  replaced(families: readonly string[]): void {
    for (const family of families) {
      if (!this.#fonts.has(family) && !this.#own.has(plain(family))) this.#missing.set(family, OFFICE_DEFAULT);
    }
  }

  /** A sentence for the owner of the presentation, or none. */
  warnings(): string[] {
    if (this.#missing.size === 0) return [];
    const list = [...this.#missing].map(([family, standIn]) => `${family} (${standIn} instead)`);
    const rest = list.length > MOST_NAMED ? ` and ${list.length - MOST_NAMED} more` : '';
    const named = list.slice(0, MOST_NAMED).join(', ');
    return [
      `Fonts that this server does not have were replaced: ${named}${rest}. Upload them and import the file again.`,
    ];
  }
}

function plain(family: string, isLower = true): string {
  const name = family.replace(/[\s'"]/g, '');
  return isLower ? name.toLowerCase() : name;
}

/** `Times New Roman` of a PDF's `TimesNewRomanPS-BoldMT`. */
function familyIn(font: string): string {
  const [family = ''] = font.split(/[-,]/, 1);
  return family
    .replace(/(PS)?MT$|PS$|(Regular|Bold|Italic)(Regular|Bold|Italic)?$/, '')
    .replace(/([a-z])([A-Z])/g, '$1 $2');
}
