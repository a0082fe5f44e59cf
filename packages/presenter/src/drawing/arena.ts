/** Bytes of a WebAssembly page. */
const PAGE = 65_536;

/** Blocks begin at multiples of a cache line. */
const ALIGNMENT = 64;

/** Kept free at the memory's end: the kernel reads whole vectors, a little past the last row of a plane. */
const SLACK = PAGE;

/** Bytes of a vector. */
const VECTOR = 16;

interface Gap {
  at: number;
  size: number;
}

/** First-fit allocation in a kernel's memory. Views of blocks stay valid when the memory grows, because it is shared. */
export class Arena {
  private readonly gaps: Gap[] = [];
  private readonly sizes = new Map<number, number>();
  private end: number;

  constructor(
    private readonly memory: WebAssembly.Memory,
    base: number,
  ) {
    this.end = align(base);
  }

  /**
   * Address of `bytes` fresh bytes, contents undefined. The caller frees it.
   * @throws RangeError if the memory cannot grow so far.
   */
  allocate(bytes: number): number {
    const size = align(bytes);
    const index = this.gaps.findIndex((gap) => gap.size >= size);
    const gap = this.gaps[index];
    let at = this.end;
    if (gap) {
      at = gap.at;
      if (gap.size === size) this.gaps.splice(index, 1);
      else this.gaps[index] = { at: gap.at + size, size: gap.size - size };
    } else {
      this.reserve(at + size + SLACK);
      this.end = at + size;
    }
    this.sizes.set(at, size);
    return at;
  }

  /** Address of zeroed bytes. */
  allocateZeroed(bytes: number): number {
    const at = this.allocate(bytes);
    this.bytes(at, bytes).fill(0);
    return at;
  }

  /** Frees a block. @throws Error if it is not allocated. */
  free(at: number): void {
    const size = this.sizes.get(at);
    if (size === undefined) throw new Error(`expected an allocated block, got address ${at}`);
    this.sizes.delete(at);
    const next = this.gaps.findIndex((gap) => gap.at > at);
    const index = next < 0 ? this.gaps.length : next;
    this.gaps.splice(index, 0, { at, size });
    this.merge(index);
    if (index > 0) this.merge(index - 1);
    const last = this.gaps.at(-1);
    if (last && last.at + last.size === this.end) {
      this.end = last.at;
      this.gaps.pop();
    }
  }

  /** Bytes in use. */
  get used(): number {
    let sum = 0;
    for (const size of this.sizes.values()) sum += size;
    return sum;
  }

  /** Size of the whole memory, in use or not. */
  get memoryBytes(): number {
    return this.memory.buffer.byteLength;
  }

  bytes(at: number, length: number): Uint8Array {
    return new Uint8Array(this.memory.buffer, at, length);
  }

  ints(at: number, length: number): Int32Array {
    return new Int32Array(this.memory.buffer, at, length);
  }

  shorts(at: number, length: number): Int16Array {
    return new Int16Array(this.memory.buffer, at, length);
  }

  floats(at: number, length: number): Float32Array {
    return new Float32Array(this.memory.buffer, at, length);
  }

  private merge(index: number): void {
    const gap = this.gaps[index];
    const next = this.gaps[index + 1];
    if (!gap || !next || gap.at + gap.size !== next.at) return;
    gap.size += next.size;
    this.gaps.splice(index + 1, 1);
  }

  private reserve(bytes: number): void {
    const missing = Math.ceil((bytes - this.memory.buffer.byteLength) / PAGE);
    if (missing > 0) this.memory.grow(missing);
  }
}

/** Blocks that are freed together. */
export class Blocks {
  private readonly addresses: number[] = [];

  constructor(private readonly arena: Arena) {}

  /** Address of zeroed bytes. */
  allocate(bytes: number): number {
    const at = this.arena.allocateZeroed(bytes);
    this.addresses.push(at);
    return at;
  }

  /** Address of a copy of bytes, with as many after it as the kernel's vectors read. */
  upload(bytes: Uint8Array): number {
    const at = this.allocate(bytes.length + VECTOR);
    this.arena.bytes(at, bytes.length).set(bytes);
    return at;
  }

  free(): void {
    for (const address of this.addresses.splice(0)) this.arena.free(address);
  }
}

function align(bytes: number): number {
  return Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
}
