import { type PdfFont, readFont } from './pdf-font.js';
import { type Edges, OBJECT, type PageAccess, RESULT } from './pdfium.js';

/** How a letter looks; the letters of one text object share it. */
export interface LetterLook extends PdfFont {
  /** `#rrggbb`, or `#rrggbbaa` when it is translucent. */
  readonly color: string;
  /** Its width in widths of the font. */
  readonly stretch: number;
  /** The same text drawn before it in another place: its offset, pt. */
  readonly shadow: { readonly color: string; readonly x: number; readonly y: number } | null;
}

/** A letter of a page, or several drawn as one; lengths in points from the page's upper left corner. */
export interface Letter {
  /** Of pdfium; letters of one object are drawn together. */
  readonly object: number;
  /** pdfium sees a space or a line break before it. */
  readonly isApart: boolean;
  readonly text: string;
  /** Its start on the baseline. */
  readonly x: number;
  readonly y: number;
  /** Length along the baseline. */
  readonly advance: number;
  /** Font size. */
  readonly em: number;
  /** Direction of the baseline, degrees clockwise. */
  readonly angle: number;
  readonly look: LetterLook;
}

/** A straight line or an upright rectangle without an outline, as underlines and markers are drawn. */
export interface Stroke extends Edges {
  readonly color: string;
  /** Takes it off the page. */
  hide(): void;
}

/** Text that was taken off a page, and what may belong to it. */
export interface PageText {
  readonly letters: readonly Letter[];
  readonly strokes: readonly Stroke[];
}

/** Which text is taken off a page: all that can be set in our fonts, or only what pdfium cannot draw. */
export type TextChoice = (text: string, look: LetterLook) => boolean;

/** Reads the letters of a page and takes the text that `choose` wants off it, which the next drawing then lacks. */
export function takeText(page: PageAccess, choose: TextChoice): { all: readonly Letter[]; taken: PageText } {
  const reading = new PageReading(page);
  const { texts, opaque, strokes } = reading.objects();
  const all = reading.letters([...texts.keys()]);
  const lettered = new Map<number, Letter[]>();
  for (const letter of all) {
    const own = lettered.get(letter.object) ?? [];
    lettered.set(letter.object, own);
    own.push(letter);
  }
  const taken = new Set<number>();
  for (const [object, letters] of lettered) {
    const whole = letters.map(({ text }) => text).join('');
    const above = opaque.slice(texts.get(object) ?? opaque.length);
    const isVisible = reading.isDrawable(object, letters) && !letters.some((letter) => above.some(covers(letter)));
    if (isVisible && choose(whole, letters[0]!.look)) taken.add(object);
  }
  let owner = 0;
  for (const object of texts.keys()) {
    // A text without letters is a part of a word whose letters are given as a whole (ActualText).
    if (lettered.has(object)) owner = object;
    else if (taken.has(owner)) page.hide(object);
  }
  for (const object of taken) page.hide(object);
  return { all, taken: { letters: all.filter(({ object }) => taken.has(object)), strokes } };
}

/** Whether a box hides the middle of a letter. */
function covers({ x, y, em, advance }: Letter): (box: Edges) => boolean {
  const [middle, height] = [x + advance / 2, y - em * 0.3];
  return ({ left, right, top, bottom }) => left < middle && right > middle && top < height && bottom > height;
}

/** Linear part of a transformation: where a unit along the baseline and one above it go. */
type Matrix = readonly [a: number, b: number, c: number, d: number];

/** How many texts before a text its shadow may be; lines of a paragraph have theirs together. */
const SHADOW_DISTANCE = 12;

/** Text rendering modes (ISO 32000-1, table 106). */
const MODE = { filled: 0, filledAndOutlined: 2 } as const;

class PageReading {
  readonly #page: PageAccess;
  readonly #width: number;
  readonly #height: number;
  readonly #toPoints: (x: number, y: number) => readonly [x: number, y: number];

  constructor(page: PageAccess) {
    this.#page = page;
    this.#width = page.call('FPDF_GetPageWidthF', page.handle);
    this.#height = page.call('FPDF_GetPageHeightF', page.handle);
    this.#toPoints = this.#pointsOfPage();
  }

  /** All letters with a look that can be read, in reading order. @param texts in the order in which they are drawn. */
  letters(texts: readonly number[]): Letter[] {
    const page = this.#page;
    const text = page.call('FPDFText_LoadPage', page.handle);
    const looks = new Map<number, LetterLook | undefined>();
    const letters: Letter[] = [];
    let isApart = false;
    for (let index = 0, count = page.call('FPDFText_CountChars', text); index < count; index++) {
      const object = page.call('FPDFText_GetTextObject', text, index);
      const isLetter = object !== 0 && page.call('FPDFText_IsGenerated', text, index) !== 1;
      if (isLetter && !looks.has(object)) looks.set(object, this.#lookOf(object, this.#matrixOf(text, index)));
      const look = isLetter ? looks.get(object) : undefined;
      if (look !== undefined) letters.push({ object, isApart, ...this.#letter(text, index, look) });
      isApart = !isLetter;
    }
    page.call('FPDFText_ClosePage', text);
    const moves = this.#shadowsOf(texts, looks);
    return letters.map((letter) => ({ ...letter, ...moves.get(letter.object)?.(letter) }));
  }

  /** pdfium gives the letters of a text only once when it is drawn twice: its shadow's. How they become the text's own. */
  #shadowsOf(
    texts: readonly number[],
    looks: ReadonlyMap<number, LetterLook | undefined>,
  ): ReadonlyMap<number, (letter: Letter) => Partial<Letter>> {
    const moves = new Map<number, (letter: Letter) => Partial<Letter>>();
    for (const [index, object] of texts.entries()) {
      const [box, look] = looks.has(object) ? [] : [this.#boundsOf(object), this.#lookOf(object)];
      if (box === undefined || look === undefined || box.right === box.left) continue;
      for (const shadow of texts.slice(Math.max(0, index - SHADOW_DISTANCE), index)) {
        const [own, under] = [this.#boundsOf(shadow), looks.get(shadow)];
        if (own === undefined || under?.font !== look.font) continue;
        const [x, y] = [own.left - box.left, own.top - box.top];
        const isAlike = Math.max(Math.abs(own.right - box.right - x), Math.abs(own.bottom - box.bottom - y)) < 0.2;
        if (!isAlike || Math.hypot(x, y) > (box.bottom - box.top) / 2) continue;
        const moved = { ...look, italic: under.italic, stretch: under.stretch, shadow: { color: under.color, x, y } };
        moves.set(shadow, (letter) => ({ x: letter.x - x, y: letter.y - y, look: moved }));
      }
    }
    return moves;
  }

  /** Whether our fonts draw all letters of an object, which is on the page and visible. */
  isDrawable(object: number, letters: readonly Letter[]): boolean {
    const isBold = this.#modeOf(object) === MODE.filledAndOutlined;
    // An outline of another colour has no counterpart; other modes are invisible, outlines or clips.
    if (isBold ? this.#colorOf(object, true) !== this.#colorOf(object, false) : this.#modeOf(object) !== MODE.filled) {
      return false;
    }
    return letters.every(({ text, x, y, em }) => {
      const isOnPage = x > -em && y > -em && x < this.#width + em && y < this.#height + em;
      return em > 0.5 && isOnPage && !/[\p{Cc}\p{Co}\ufffd]/u.test(text);
    });
  }

  /**
   * What else is on the page: what hides texts below it, strokes that may belong to words, and for each text how many of
   * `opaque` are drawn before it.
   */
  objects(): { texts: ReadonlyMap<number, number>; opaque: readonly Edges[]; strokes: readonly Stroke[] } {
    const texts = new Map<number, number>();
    const opaque: Edges[] = [];
    const strokes: Stroke[] = [];
    for (const { object, type } of this.#page.objects()) {
      const box = this.#boundsOf(object);
      if (type === OBJECT.text) texts.set(object, opaque.length);
      if (box === undefined || type === OBJECT.text) continue;
      if (type === OBJECT.image || type === OBJECT.shading) opaque.push(box);
      if (type !== OBJECT.path || this.#page.call('FPDFPath_CountSegments', object) > 6) continue;
      const [fill = 0, stroke = 0] = this.#page.read(RESULT.integers, 'FPDFPath_GetDrawMode', object);
      const color = this.#colorOf(object, fill === 0);
      if (color === undefined) continue;
      if (fill !== 0 && color.length === 7) opaque.push(box);
      if ((fill !== 0) !== (stroke !== 0)) strokes.push({ ...box, color, hide: () => this.#page.hide(object) });
    }
    return { texts, opaque, strokes };
  }

  #boundsOf(object: number): Edges | undefined {
    const [x1, y1, x2, y2] = this.#page.read(RESULT.edges, 'FPDFPageObj_GetBounds', object);
    if (x1 === undefined) return undefined;
    const [[left, top], [right, bottom]] = [this.#toPoints(x1, y1!), this.#toPoints(x2!, y2!)];
    return {
      left: Math.min(left, right),
      right: Math.max(left, right),
      top: Math.min(top, bottom),
      bottom: Math.max(top, bottom),
    };
  }

  #letter(text: number, index: number, look: LetterLook): Omit<Letter, 'object' | 'isApart'> {
    const page = this.#page;
    const [originX = 0, originY = 0] = page.read(RESULT.point, 'FPDFText_GetCharOrigin', text, index);
    const [x, y] = this.#toPoints(originX, originY);
    const [a, b, c, d] = this.#matrixOf(text, index);
    const [[zeroX, zeroY], [alongX, alongY]] = [this.#toPoints(0, 0), this.#toPoints(a, b)];
    const along = { x: alongX - zeroX, y: alongY - zeroY };
    const stretch = Math.hypot(a, b);
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = page.read(RESULT.structure, 'FPDFText_GetLooseCharBox', text, index);
    const [[left, top], [right, bottom]] = [this.#toPoints(x1, y1), this.#toPoints(x2, y2)];
    const ends = [left, right].flatMap((one) =>
      [top, bottom].map((two) => ((one - x) * along.x + (two - y) * along.y) / stretch),
    );
    const advance = Math.max(0, ...ends);
    const size = stretch === 0 ? 0 : Math.abs(a * d - b * c) / stretch;
    const em = page.call('FPDFText_GetFontSize', text, index) * size;
    const isLevel = Math.min(Math.abs(along.x), Math.abs(along.y)) < stretch * 0.01;
    return {
      text: this.#characterAt(text, index),
      x,
      y,
      // The box of a turned letter is upright and larger than the letter.
      advance: isLevel ? advance : Math.min(advance, em * 0.6),
      em,
      angle: (Math.atan2(along.y, along.x) * 180) / Math.PI,
      look,
    };
  }

  /** PDFs store characters beyond the first plane as two halves (UTF-16), which pdfium returns separately. */
  #characterAt(text: number, index: number): string {
    if (this.#page.call('FPDFText_HasUnicodeMapError', text, index) === 1) return '\ufffd';
    const code = this.#page.call('FPDFText_GetUnicode', text, index);
    // pdfium's mark of a hyphen at the end of a line.
    return code === 2 ? '-' : String.fromCharCode(code & 0xffff);
  }

  #matrixOf(text: number, index: number): Matrix {
    const [a = 1, b = 0, c = 0, d = 1] = this.#page.read(RESULT.structure, 'FPDFText_GetMatrix', text, index);
    return [a, b, c, d];
  }

  #lookOf(object: number, [a, b, c, d]: Matrix = [1, 0, 0, 1]): LetterLook | undefined {
    const color = this.#colorOf(object, false);
    const font = readFont(this.#page, this.#page.call('FPDFTextObj_GetFont', object));
    if (color === undefined || font === undefined) return undefined;
    // How programs embolden a font without a bold face.
    const isBold = this.#modeOf(object) === MODE.filledAndOutlined;
    const [along, area] = [a * a + b * b, Math.abs(a * d - b * c)];
    const isSlanted = c !== 0 && Math.abs(a * c + b * d) >= 0.05 * along;
    return {
      ...font,
      color,
      weight: isBold ? Math.max(font.weight, 700) : font.weight,
      italic: font.italic || isSlanted,
      stretch: area === 0 || Math.abs(along / area - 1) < 0.02 ? 1 : along / area,
      shadow: null,
    };
  }

  #modeOf(object: number): number {
    return this.#page.call('FPDFTextObj_GetTextRenderMode', object);
  }

  #colorOf(object: number, isStroke: boolean): string | undefined {
    const name = isStroke ? 'FPDFPageObj_GetStrokeColor' : 'FPDFPageObj_GetFillColor';
    const channels = this.#page.read(RESULT.color, name, object);
    if (channels.length === 0) return undefined;
    const used = channels[3] === 255 ? channels.slice(0, 3) : channels;
    return `#${used.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
  }

  /** The page's own coordinates may start anywhere, and the page may be turned. */
  #pointsOfPage(): (x: number, y: number) => readonly [number, number] {
    // The result is in whole pixels, so the pixels are small.
    const [fine, far] = [1000, 1000];
    const size = [Math.round(this.#width * fine), Math.round(this.#height * fine)];
    const device = (x: number, y: number): readonly [number, number] => {
      const place = [0, 0, ...size, 0, x, y];
      const [left = 0, top = 0] = this.#page.read(RESULT.integers, 'FPDF_PageToDevice', this.#page.handle, ...place);
      return [left / fine, top / fine];
    };
    const [[x0, y0], [rightX, rightY], [upX, upY]] = [device(0, 0), device(far, 0), device(0, far)];
    return (x, y) => [
      x0 + (x * (rightX - x0)) / far + (y * (upX - x0)) / far,
      y0 + (x * (rightY - y0)) / far + (y * (upY - y0)) / far,
    ];
  }
}
