import type { PDFiumPage } from '@hyzyla/pdfium';

/** Types of page objects (fpdf_edit.h). */
export const OBJECT = { text: 1, path: 2, image: 3, shading: 4 } as const;

/** Edges in points from the page's upper left corner. */
export interface Edges {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** The library's WebAssembly program. */
interface Program {
  readonly [name: string]: unknown;
  readonly HEAPU8: Uint8Array;
  readonly wasmExports: { malloc(size: number): number; free(pointer: number): void };
}

/** What a function writes: numbers of a type, and whether it takes a pointer to each or to a structure of all. */
interface Result {
  readonly type: {
    new (buffer: ArrayBufferLike, at: number, count: number): Iterable<number>;
    BYTES_PER_ELEMENT: number;
  };
  readonly count: number;
  readonly isStructure?: boolean;
}

export const RESULT = {
  integers: { type: Int32Array, count: 2 },
  color: { type: Int32Array, count: 4 },
  point: { type: Float64Array, count: 2 },
  edges: { type: Float32Array, count: 4 },
  structure: { type: Float32Array, count: 4, isStructure: true },
} as const satisfies Record<string, Result>;

/** Bytes for the results of one call: six floats, four integers, two doubles or a name. */
const MEMORY_BYTES = 160;

/** pdfium's C functions (fpdfview.h, fpdf_text.h, fpdf_edit.h), which the library does not offer, on an open page. Pointers are numbers. */
export class PageAccess {
  /** Of the page. */
  readonly handle: number;
  readonly #program: Program;
  readonly #memory: number;

  constructor(page: PDFiumPage) {
    this.handle = page['pageIdx'];
    this.#program = page['module'] as unknown as Program;
    this.#memory = this.#program.wasmExports.malloc(MEMORY_BYTES);
  }

  call(name: `FPDF${string}`, ...values: readonly number[]): number {
    return (this.#program[`_${name}`] as (...values: readonly number[]) => number)(...values);
  }

  /** The numbers that a function writes to its last arguments; none when it fails. */
  read({ type, count, isStructure = false }: Result, ...[name, ...values]: Parameters<PageAccess['call']>): number[] {
    const places = Array.from({ length: isStructure ? 1 : count }, (_, n) => this.#memory + n * type.BYTES_PER_ELEMENT);
    if (this.call(name, ...values, ...places) === 0) return [];
    // The memory may have grown and moved since the last call.
    return [...new type(this.#program.HEAPU8.buffer, this.#memory, count)];
  }

  /** A name that a function writes to its last arguments. */
  name(...[name, ...values]: Parameters<PageAccess['call']>): string {
    const length = Math.min(this.call(name, ...values, this.#memory, MEMORY_BYTES), MEMORY_BYTES);
    return Buffer.from(this.#program.HEAPU8.subarray(this.#memory, this.#memory + Math.max(0, length - 1))).toString();
  }

  /** The page's objects in the order in which they are drawn. */
  objects(): { readonly object: number; readonly type: number }[] {
    return Array.from({ length: this.call('FPDFPage_CountObjects', this.handle) }, (_, index) => {
      const object = this.call('FPDFPage_GetObject', this.handle, index);
      return { object, type: this.call('FPDFPageObj_GetType', object) };
    });
  }

  /** Takes an object off the page. */
  hide(object: number): void {
    this.call('FPDFPageObj_SetIsActive', object, 0);
  }

  close(): void {
    this.#program.wasmExports.free(this.#memory);
  }
}
