import { BLANK_EMOJI, type Fonts, OFFICE_DEFAULT } from '@figurehead/media';
import type { LetterLook } from '../pdf/page-text.js';

const STAND_INS = { sans: OFFICE_DEFAULT, serif: 'Tinos', monospaced: 'Cousine' } as const;

/** Fonts that the warning names. */
const MOST_NAMED = 8;

/** Chooses families of this server for the fonts of PDFs, and remembers the fonts that it lacks. */
export class StandIns {
  readonly #fonts: Fonts;
  readonly #own: ReadonlyMap<string, string>;
  readonly #missing = new Map<string, string>();

  /**
   * @param own the families that the workspace has uploaded.
   * @param named those that a deck names; LibreOffice has replaced unknown ones.
   */
  constructor(fonts: Fonts, own: readonly { readonly family: string }[], named: Iterable<string> = []) {
    this.#fonts = fonts;
    this.#own = new Map(own.map(({ family }) => [plain(family), family]));
    for (const family of named) if (this.#known(family) === undefined) this.#missing.set(family, OFFICE_DEFAULT);
  }

  /** The family that draws text like this. */
  readonly familyOf = ({ font, kind }: LetterLook): string => {
    if (plain(font).startsWith(plain(BLANK_EMOJI))) return OFFICE_DEFAULT;
    // `Times New Roman` of a PDF's `TimesNewRomanPS-BoldMT`.
    const family = (font.split(/[-,]/, 1)[0] ?? '')
      .replace(/(PS)?MT$|PS$|(Regular|Bold|Italic)(Regular|Bold|Italic)?$/, '')
      .replace(/([a-z])([A-Z])/g, '$1 $2');
    const known = this.#known(family);
    if (known !== undefined) return known;
    // Its scripts are drawn by the families that every other one falls back to.
    if (!/^Noto |^Open ?Symbol/.test(family)) this.#missing.set(family, STAND_INS[kind]);
    return STAND_INS[kind];
  };

  #known(family: string): string | undefined {
    return this.#own.get(plain(family)) ?? (this.#fonts.has(family) ? family : undefined);
  }

  /** A sentence for the owner of the presentation, or none. */
  warnings(): string[] {
    if (this.#missing.size === 0) return [];
    const list = Array.from(this.#missing, ([family, standIn]) => `${family} (${standIn} instead)`);
    const rest = list.length > MOST_NAMED ? ` and ${list.length - MOST_NAMED} more` : '';
    const named = list.slice(0, MOST_NAMED).join(', ');
    return [
      `Fonts that this server does not have were replaced: ${named}${rest}. Upload them and import the file again.`,
    ];
  }
}

function plain(family: string): string {
  return family.replace(/[\s'"]/g, '').toLowerCase();
}
