import type { Arena } from './arena.js';

/** Name and type of each field of a kernel structure, in the order of its class in `assembly/`. All are 4 bytes long. */
export type JobLayout<Name extends string> = readonly (readonly [name: Name, type: 'f32' | 'i32'])[];

/** A structure in the kernel's memory that describes what to draw. */
export class KernelJob<Name extends string> {
  /** Address, 0 once freed. */
  address: number;
  private readonly slots: ReadonlyMap<Name, { index: number; isFloat: boolean }>;
  private readonly ints: Int32Array;
  private readonly floats: Float32Array;

  constructor(
    private readonly arena: Arena,
    layout: JobLayout<Name>,
  ) {
    this.address = arena.allocateZeroed(layout.length * 4);
    this.slots = new Map(layout.map(([name, type], index) => [name, { index, isFloat: type === 'f32' }]));
    this.ints = arena.ints(this.address, layout.length);
    this.floats = arena.floats(this.address, layout.length);
  }

  set(values: Readonly<Partial<Record<Name, number>>>): void {
    for (const name in values) {
      const slot = this.slots.get(name);
      const value = values[name];
      if (slot === undefined || value === undefined) continue;
      (slot.isFloat ? this.floats : this.ints)[slot.index] = value;
    }
  }

  /**
   * Sets one field. Avoids the object that `set` needs: for fields that change with every picture it costs more than
   * the write.
   */
  put(name: Name, value: number): void {
    const slot = this.slots.get(name);
    if (slot) (slot.isFloat ? this.floats : this.ints)[slot.index] = value;
  }

  free(): void {
    if (this.address !== 0) this.arena.free(this.address);
    this.address = 0;
  }
}
