/**
 * Directory descriptor with which a patched program reports each computed piece of sound by `path_open`. Real descriptors are never
 * negative.
 */
export const WAVE_TAP = -1;

/** Flite's functions that a patched program exports, to read the items of an utterance (include/cst_item.h, cst_utterance.h). */
const EXPORTS = [
  'malloc',
  'utt_relation',
  'relation_head',
  'item_next',
  'ffeature_string',
  'ffeature_float',
  'ffeature_int',
] as const;

/** Export of the stack pointer: the first global variable of a program that LLVM compiled. */
export const STACK = '__stack_pointer';

/** A program that {@link tapWaves} has patched. */
export interface TappedProgram {
  readonly module: WebAssembly.Module;
  /** Address of its first variable: the last data segment, after the constants. A run changes no memory before it. */
  readonly variables: number;
}

/** One of the functions that a patched program exports. */
export type TappedFunction = (typeof EXPORTS)[number];

/** The program's example callback of its vocoder, `(wave, start, size, last, info) → 0 to continue`, which the patch replaces. */
const LISTENER = 'audio_stream_chunk';

/** The import that the patch calls: the only one of Flite's with enough parameters. */
const CALL_OUT = 'path_open';

const SECTION = { custom: 0, import: 2, export: 7, code: 10, data: 11 } as const;

/** Kinds of exports. */
const EXPORTED = { function: 0, global: 3 } as const;

/**
 * Patches Flite for WASI so that it reports its sound while it is computed. Its vocoder passes every 256 samples to a callback
 * for a sound card, and the package exports nothing but `main`. The body of that callback is replaced by a call of
 * `path_open(WAVE_TAP, info, wave, start, size, …)`, and the functions that read utterances and the stack pointer are exported. Functions are found by
 * the names in the module's debugging data. Everything else stays unchanged, including the sound.
 *
 * @param program the package's `flite.wasm` (WebAssembly binary format 1, core specification chapter 5). Throws when its
 * structure differs.
 */
export async function tapWaves(program: Uint8Array): Promise<TappedProgram> {
  const sections = sectionsOf(program);
  const imports = importNames(bodyOf(sections, SECTION.import));
  const functions = functionNames(sections);
  const callOut = imports.indexOf(CALL_OUT);
  const indexOf = (name: string): number => {
    const index = functions.get(name);
    if (index === undefined) throw new Error(`expected Flite for WASI with a function ${name}`);
    return index;
  };
  const listener = indexOf(LISTENER);
  if (callOut < 0) throw new Error(`expected Flite for WASI to import ${CALL_OUT}`);
  const parts: Uint8Array[] = [program.subarray(0, 8)];
  for (const { id, body } of sections) {
    // Names and debugging data are a fifth of the file and no longer needed.
    if (id === SECTION.custom) continue;
    const changed =
      id === SECTION.export
        ? withExports(
            body,
            EXPORTS.map((name) => [name, indexOf(name)] as const),
          )
        : id === SECTION.code
          ? withBody(body, listener - imports.length, tapCode(callOut))
          : body;
    parts.push(Uint8Array.of(id, ...unsigned(changed.length)), changed);
  }
  const module = await WebAssembly.compile(Buffer.concat(parts));
  return { module, variables: lastSegment(bodyOf(sections, SECTION.data)) };
}

/** Calls `path_open(WAVE_TAP, info, wave, start, size, 0, 0, 0, 0)` with the callback's parameters and returns its result. */
function tapCode(callOut: number): Uint8Array {
  const [getLocal, constant32, constant64, call, end] = [0x20, 0x41, 0x42, 0x10, 0x0b];
  const zeros = [constant64, 0, constant64, 0, constant32, 0, constant32, 0];
  // A constant is signed: −1 is 0x7f.
  const values = [constant32, 0x7f, ...[4, 0, 1, 2].flatMap((local) => [getLocal, local]), ...zeros];
  return Uint8Array.from([0, ...values, call, ...unsigned(callOut), end]);
}

interface Section {
  readonly id: number;
  readonly body: Uint8Array;
}

function sectionsOf(program: Uint8Array): Section[] {
  const reader = new Reader(program, 8);
  const sections: Section[] = [];
  while (!reader.isAtEnd) sections.push({ id: reader.byte(), body: reader.bytes(reader.unsigned()) });
  return sections;
}

function bodyOf(sections: readonly Section[], id: number): Uint8Array {
  return sections.find((section) => section.id === id)?.body ?? Uint8Array.of(0);
}

/** Address of the last data segment, all of which are active in the only memory. */
function lastSegment(body: Uint8Array): number {
  const reader = new Reader(body);
  let last = 0;
  for (let left = reader.unsigned(); left > 0; left--) {
    const [flags, constant32] = [reader.byte(), reader.byte()];
    last = reader.unsigned();
    if (flags !== 0 || constant32 !== 0x41 || reader.byte() !== 0x0b)
      throw new Error('expected data segments at constant addresses');
    reader.bytes(reader.unsigned());
  }
  return last;
}

/** Names of the imports, all of which are functions. */
function importNames(body: Uint8Array): string[] {
  const reader = new Reader(body);
  return Array.from({ length: reader.unsigned() }, () => {
    reader.text();
    const name = reader.text();
    if (reader.byte() !== 0) throw new Error(`expected only functions to be imported, got ${name}`);
    reader.unsigned();
    return name;
  });
}

/** Indexes of the functions by the names in the custom section `name` (appendix 7.4 of the specification). */
function functionNames(sections: readonly Section[]): Map<string, number> {
  const names = new Map<string, number>();
  for (const { id, body } of sections) {
    if (id !== SECTION.custom) continue;
    const reader = new Reader(body);
    if (reader.text() !== 'name') continue;
    while (!reader.isAtEnd) {
      const kind = reader.byte();
      const part = new Reader(reader.bytes(reader.unsigned()));
      if (kind !== 1) continue;
      for (let left = part.unsigned(); left > 0; left--) {
        const index = part.unsigned();
        names.set(part.text(), index);
      }
    }
  }
  return names;
}

/** Adds exports of functions, and of the first global variable as {@link STACK}. */
function withExports(body: Uint8Array, added: readonly (readonly [name: string, index: number])[]): Uint8Array {
  const reader = new Reader(body);
  const count = reader.unsigned();
  const entry = (name: string, kind: number, index: number): Uint8Array => {
    const text = new TextEncoder().encode(name);
    return Uint8Array.of(...unsigned(text.length), ...text, kind, ...unsigned(index));
  };
  const functions = added.map(([name, index]) => entry(name, EXPORTED.function, index));
  const entries = [...functions, entry(STACK, EXPORTED.global, 0)];
  return Buffer.concat([Uint8Array.from(unsigned(count + entries.length)), reader.rest(), ...entries]);
}

function withBody(section: Uint8Array, index: number, code: Uint8Array): Uint8Array {
  const reader = new Reader(section);
  const count = reader.unsigned();
  if (index < 0 || index >= count) throw new Error(`expected a function of ${count}, got ${index}`);
  for (let before = index; before > 0; before--) reader.bytes(reader.unsigned());
  const start = reader.at;
  reader.bytes(reader.unsigned());
  return Buffer.concat([section.subarray(0, start), Uint8Array.from(unsigned(code.length)), code, reader.rest()]);
}

/** Reads the primitives of a WebAssembly module; a truncated module throws. */
class Reader {
  readonly #data: Uint8Array;
  at: number;

  constructor(data: Uint8Array, at = 0) {
    this.#data = data;
    this.at = at;
  }

  get isAtEnd(): boolean {
    return this.at >= this.#data.length;
  }

  byte(): number {
    const byte = this.#data[this.at++];
    if (byte === undefined) throw new Error('expected more of a WebAssembly module');
    return byte;
  }

  /** An unsigned number of at most 32 bits in LEB128. */
  unsigned(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
  }

  bytes(length: number): Uint8Array {
    this.at += length;
    if (this.at > this.#data.length) throw new Error('expected more of a WebAssembly module');
    return this.#data.subarray(this.at - length, this.at);
  }

  text(): string {
    return new TextDecoder().decode(this.bytes(this.unsigned()));
  }

  rest(): Uint8Array {
    return this.bytes(this.#data.length - this.at);
  }
}

function unsigned(value: number): number[] {
  const out: number[] = [];
  let left = value;
  do {
    const seven = left & 0x7f;
    left >>>= 7;
    out.push(left > 0 ? seven | 0x80 : seven);
  } while (left > 0);
  return out;
}
