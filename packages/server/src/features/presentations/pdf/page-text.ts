import type { PDFiumPage } from '@hyzyla/pdfium';
import { fontOf, type PdfFont } from './pdf-font.js';
import { OBJECT, type Pdfium } from './pdfium.js';

/** How a letter looks; the letters of one text object share it. */
export interface LetterLook extends PdfFont {
  /** `#rrggbb`, or `#rrggbbaa` when it is translucent. */
  readonly color: string;
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
export interface Stroke {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
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

/** Bytes for the results of one call: six floats, four integers, two doubles or a name. */
const MEMORY_BYTES = 160;

/** Reads the letters of an open page and takes the text that `choose` wants off it, which the next drawing then lacks. */
export function takeText(page: PDFiumPage, choose: TextChoice): { all: readonly Letter[]; taken: PageText } {
  const pdfium = page['module'] as unknown as Pdfium;
  const text = pdfium._FPDFText_LoadPage(page['pageIdx']);
  const memory = pdfium.wasmExports.malloc(MEMORY_BYTES);
  try {
    const reading = new PageReading(pdfium, { page: page['pageIdx'], text, memory });
    const objects = reading.objects();
    const all = reading.letters();
    const byObject = new Map<number, Letter[]>();
    for (const letter of all) {
      const letters = byObject.get(letter.object);
      if (letters === undefined) byObject.set(letter.object, [letter]);
      else letters.push(letter);
    }
    const taken = new Set<number>();
    for (const [object, letters] of byObject) {
      const [whole, look] = [letters.map(({ text }) => text).join(''), letters[0]?.look];
      if (look === undefined || !reading.isDrawable(object, letters) || objects.covers(object)) continue;
      if (!choose(whole, look)) continue;
      taken.add(object);
    }
    for (const object of [...taken, ...objects.continued(byObject, taken)]) pdfium._FPDFPageObj_SetIsActive(object, 0);
    return { all, taken: { letters: all.filter(({ object }) => taken.has(object)), strokes: objects.strokes } };
  } finally {
    pdfium.wasmExports.free(memory);
    pdfium._FPDFText_ClosePage(text);
  }
}

class PageReading {
  readonly #pdfium: Pdfium;
  readonly #at: { readonly page: number; readonly text: number; readonly memory: number };
  readonly #toPoints: (x: number, y: number) => readonly [x: number, y: number];
  readonly #size: { readonly width: number; readonly height: number };

  constructor(pdfium: Pdfium, at: { page: number; text: number; memory: number }) {
    this.#pdfium = pdfium;
    this.#at = at;
    this.#size = { width: pdfium._FPDF_GetPageWidthF(at.page), height: pdfium._FPDF_GetPageHeightF(at.page) };
    this.#toPoints = this.#pointsOfPage();
  }

  /** All letters with a look that can be read, in reading order. */
  letters(): Letter[] {
    const { text } = this.#at;
    const looks = new Map<number, LetterLook | undefined>();
    const letters: Letter[] = [];
    const count = this.#pdfium._FPDFText_CountChars(text);
    let isApart = false;
    for (let index = 0; index < count; index++) {
      const object = this.#pdfium._FPDFText_GetTextObject(text, index);
      if (object === 0 || this.#pdfium._FPDFText_IsGenerated(text, index) === 1) {
        isApart = true;
        continue;
      }
      if (!looks.has(object)) looks.set(object, this.#lookOf(object));
      const look = looks.get(object);
      if (look !== undefined) letters.push({ ...this.#letter(index, object, look), isApart });
      isApart = false;
    }
    return letters;
  }

  /** Whether our fonts draw all letters of an object, which is on the page and visible. */
  isDrawable(object: number, letters: readonly Letter[]): boolean {
    const { width, height } = this.#size;
    // Filled, or filled and outlined (ISO 32000-1, 9.3.6). Others are invisible, outlines or clips.
    const isFilled = [0, 2].includes(this.#pdfium._FPDFTextObj_GetTextRenderMode(object));
    return (
      isFilled &&
      letters.length > 0 &&
      letters.every(
        ({ text, x, y, em }) =>
          em > 0.5 && x > -em && y > -em && x < width + em && y < height + em && !/[\p{Cc}\p{Co}\ufffd]/u.test(text),
      )
    );
  }

  objects(): PageObjects {
    const { page, memory } = this.#at;
    const count = this.#pdfium._FPDFPage_CountObjects(page);
    const order = new Map<number, number>();
    const texts: number[] = [];
    const opaque: (Box & { readonly index: number })[] = [];
    const strokes: Stroke[] = [];
    for (let index = 0; index < count; index++) {
      const object = this.#pdfium._FPDFPage_GetObject(page, index);
      order.set(object, index);
      const type = this.#pdfium._FPDFPageObj_GetType(object);
      const box = this.#boundsOf(object);
      if (type === OBJECT.text) texts.push(object);
      if (box === undefined || type === OBJECT.text) continue;
      if (type === OBJECT.image || type === OBJECT.shading) opaque.push({ ...box, index });
      if (type !== OBJECT.path) continue;
      this.#pdfium._FPDFPath_GetDrawMode(object, memory, memory + 4);
      const [isFilled, isStroked] = [this.#int(0) !== 0, this.#int(4) !== 0];
      const color = isFilled ? this.#colorOf(object) : this.#colorOf(object, true);
      if (color === undefined) continue;
      if (isFilled && color.length === 7 && this.#pdfium._FPDFPath_CountSegments(object) <= 6) {
        opaque.push({ ...box, index });
      }
      if (isFilled !== isStroked && this.#pdfium._FPDFPath_CountSegments(object) <= 6) {
        strokes.push({ ...box, color, hide: () => void this.#pdfium._FPDFPageObj_SetIsActive(object, 0) });
      }
    }
    const covers = (object: number): boolean => {
      const [at, box] = [order.get(object), this.#boundsOf(object)];
      if (at === undefined || box === undefined) return false;
      return opaque.some(
        (one) =>
          one.index > at &&
          one.left <= box.left &&
          one.right >= box.right &&
          one.top <= box.top &&
          one.bottom >= box.bottom,
      );
    };
    const continued = (lettered: ReadonlyMap<number, unknown>, taken: ReadonlySet<number>): number[] => {
      let owner = 0;
      return texts.filter((object) => {
        if (lettered.has(object)) owner = object;
        return owner !== object && taken.has(owner);
      });
    };
    return { strokes, covers, continued };
  }

  #letter(index: number, object: number, look: LetterLook): Omit<Letter, 'isApart'> {
    const { text: page, memory } = this.#at;
    this.#pdfium._FPDFText_GetCharOrigin(page, index, memory, memory + 8);
    const [x, y] = this.#toPoints(this.#double(0), this.#double(8));
    this.#pdfium._FPDFText_GetMatrix(page, index, memory);
    const [a, b, c, d] = [this.#float(0), this.#float(4), this.#float(8), this.#float(12)];
    const [zeroX, zeroY] = this.#toPoints(0, 0);
    const [alongX, alongY] = this.#toPoints(a, b);
    const along = { x: alongX - zeroX, y: alongY - zeroY };
    const stretch = Math.hypot(a, b);
    this.#pdfium._FPDFText_GetLooseCharBox(page, index, memory);
    const corners = [this.#toPoints(this.#float(0), this.#float(4)), this.#toPoints(this.#float(8), this.#float(12))];
    const [[left, top], [right, bottom]] = corners as [readonly [number, number], readonly [number, number]];
    const ends = [left, right].flatMap((one) =>
      [top, bottom].map((two) => ((one - x) * along.x + (two - y) * along.y) / stretch),
    );
    const em =
      this.#pdfium._FPDFText_GetFontSize(page, index) * (stretch === 0 ? 0 : Math.abs(a * d - b * c) / stretch);
    const isLevel = Math.abs(along.x) < stretch * 0.01 || Math.abs(along.y) < stretch * 0.01;
    return {
      object,
      text: this.#characterAt(index),
      x,
      y,
      // The box of a turned letter is upright and larger than the letter.
      advance: isLevel ? Math.max(0, ...ends) : Math.min(Math.max(0, ...ends), em * 0.6),
      em,
      angle: (Math.atan2(along.y, along.x) * 180) / Math.PI,
      look:
        c === 0 || look.italic || Math.abs(a * c + b * d) < 0.05 * stretch * stretch ? look : { ...look, italic: true },
    };
  }

  /** PDFs store characters beyond the first plane as two halves (UTF-16), which pdfium returns separately. */
  #characterAt(index: number): string {
    if (this.#pdfium._FPDFText_HasUnicodeMapError(this.#at.text, index) === 1) return '\ufffd';
    const code = this.#pdfium._FPDFText_GetUnicode(this.#at.text, index);
    // pdfium's mark of a hyphen at the end of a line.
    return code === 2 ? '-' : String.fromCharCode(code & 0xffff);
  }

  #lookOf(object: number): LetterLook | undefined {
    const color = this.#colorOf(object);
    const font = fontOf(this.#pdfium, this.#pdfium._FPDFTextObj_GetFont(object), this.#at.memory);
    return color === undefined || font === undefined ? undefined : { ...font, color };
  }

  #colorOf(object: number, stroke = false): string | undefined {
    const { memory } = this.#at;
    const read = stroke ? this.#pdfium._FPDFPageObj_GetStrokeColor : this.#pdfium._FPDFPageObj_GetFillColor;
    if (read(object, memory, memory + 4, memory + 8, memory + 12) === 0) return undefined;
    const channels = [0, 4, 8, 12].map((at) => this.#int(at));
    const used = channels[3] === 255 ? channels.slice(0, 3) : channels;
    return `#${used.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
  }

  #boundsOf(object: number): Box | undefined {
    const { memory } = this.#at;
    if (this.#pdfium._FPDFPageObj_GetBounds(object, memory, memory + 4, memory + 8, memory + 12) === 0)
      return undefined;
    const [x1, y1] = this.#toPoints(this.#float(0), this.#float(4));
    const [x2, y2] = this.#toPoints(this.#float(8), this.#float(12));
    return { left: Math.min(x1, x2), right: Math.max(x1, x2), top: Math.min(y1, y2), bottom: Math.max(y1, y2) };
  }

  /** The page's own coordinates may start anywhere, and the page may be turned. */
  #pointsOfPage(): (x: number, y: number) => readonly [number, number] {
    const { page, memory } = this.#at;
    const { width, height } = this.#size;
    // The result is in whole pixels, so the pixels are small.
    const [fine, far] = [1000, 1000];
    const device = (x: number, y: number): readonly [number, number] => {
      const size = [Math.round(width * fine), Math.round(height * fine)];
      this.#pdfium._FPDF_PageToDevice(page, 0, 0, ...size, 0, x, y, memory, memory + 4);
      return [this.#int(0) / fine, this.#int(4) / fine];
    };
    const [zero, right, up] = [device(0, 0), device(far, 0), device(0, far)];
    const part = (axis: 0 | 1) =>
      [zero[axis], (right[axis] - zero[axis]) / far, (up[axis] - zero[axis]) / far] as const;
    const [[x0, xx, xy], [y0, yx, yy]] = [part(0), part(1)];
    return (x, y) => [x0 + x * xx + y * xy, y0 + x * yx + y * yy];
  }

  // The memory may have grown and moved since the last access.
  #view(): DataView {
    return new DataView(this.#pdfium.HEAPU8.buffer, this.#at.memory);
  }
  #int(at: number): number {
    return this.#view().getInt32(at, true);
  }
  #float(at: number): number {
    return this.#view().getFloat32(at, true);
  }
  #double(at: number): number {
    return this.#view().getFloat64(at, true);
  }
}

/** What is on a page besides its letters. */
interface PageObjects {
  /** Strokes that may belong to words. */
  readonly strokes: Stroke[];
  /** Whether a text is below another object. */
  covers(object: number): boolean;
  /** Texts without letters that continue a taken one: parts of words whose letters are given as a whole (ActualText). */
  continued(lettered: ReadonlyMap<number, unknown>, taken: ReadonlySet<number>): number[];
}

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}
