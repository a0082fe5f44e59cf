import type { Arena } from './arena.js';

/** Type and names of the fields of a kernel structure, in the order of its class in `assembly/`. All are 4 bytes long. */
export type JobLayout = readonly (readonly [type: 'f32' | 'i32', names: string])[];

type Words<S> = S extends `${infer Word} ${infer Rest}` ? Word | Words<Rest> : S & string;
type FieldOf<L extends JobLayout> = Words<L[number][1]>;

/** A structure in the kernel's memory that describes what to draw. */
export class KernelJob<const L extends JobLayout> {
  /** Address, 0 once freed. */
  address: number;
  private readonly slots: ReadonlyMap<string, { index: number; isFloat: boolean }>;
  private readonly ints: Int32Array;
  private readonly floats: Float32Array;

  constructor(
    private readonly arena: Arena,
    layout: L,
  ) {
    const fields = layout.flatMap(([type, names]) => names.split(' ').map((name) => [name, type] as const));
    this.address = arena.allocateZeroed(fields.length * 4);
    this.slots = new Map(fields.map(([name, type], index) => [name, { index, isFloat: type === 'f32' }]));
    this.ints = arena.ints(this.address, fields.length);
    this.floats = arena.floats(this.address, fields.length);
  }

  set(values: Readonly<Partial<Record<FieldOf<L>, number>>>): void {
    const given = values as Readonly<Record<string, number | undefined>>;
    for (const name in given) {
      const slot = this.slots.get(name);
      const value = given[name];
      if (slot === undefined || value === undefined) continue;
      (slot.isFloat ? this.floats : this.ints)[slot.index] = value;
    }
  }

  /**
   * Sets one field. Avoids the object that `set` needs: for fields that change with every picture it costs more than
   * the write.
   */
  put(name: FieldOf<L>, value: number): void {
    const slot = this.slots.get(name);
    if (slot) (slot.isFloat ? this.floats : this.ints)[slot.index] = value;
  }

  free(): void {
    if (this.address !== 0) this.arena.free(this.address);
    this.address = 0;
  }
}
