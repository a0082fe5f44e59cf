import { PackError } from '../contract.js';
import type { OwnMotion } from '../face/contract.js';
import type { PackFiles } from './files.js';

/** `[x0, y0, x1, y1]` in plate px, the last two exclusive. */
export type PlateBox = readonly [x0: number, y0: number, x1: number, y1: number];

/** Width and height of a box. */
export function boxSize([x0, y0, x1, y1]: PlateBox): { width: number; height: number } {
  return { width: x1 - x0, height: y1 - y0 };
}

/** Head geometry in plate px (presenters/FORMAT.md 2). */
interface HeadGeometry {
  readonly pivotX: number;
  readonly pivotY: number;
  readonly chinY: number;
  readonly neckY: number;
  readonly camDist: number;
  readonly topY: number;
}

/** One eye: centre of the iris relative to the eye box and radius of the iris, plate px. */
interface EyeGeometry {
  readonly x: number;
  readonly y: number;
  readonly r: number;
}

/** A mouth patch: its place in the basis, exactly one of grid point, consonant or smile. */
interface PatchEntry {
  readonly id: string;
  readonly file: string;
}

/** A pack's manifest after validation; the meaning of every field is in presenters/FORMAT.md 2. */
export interface Manifest {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly base: string;
  /** File of the static background behind the person, as large as the plate and opaque. Absent: no background. */
  readonly ground?: string;
  readonly depth: { readonly file: string; readonly scale: number; readonly min: number; readonly max: number };
  readonly head: HeadGeometry;
  readonly eye: {
    readonly box: PlateBox;
    readonly mask: string;
    readonly eyes: readonly [EyeGeometry, EyeGeometry];
    readonly pxPerDeg: number;
    readonly stages: readonly { readonly file: string; readonly closed: number }[];
  };
  /**
   * Variants only: the part of the plate that is shown as `full` or as `bust`, plate px; may extend past the plate's
   * edges.
   */
  readonly frame?: PlateBox;
  readonly mouth: {
    readonly box: PlateBox;
    readonly patches: readonly PatchEntry[];
    readonly flow: {
      readonly file: string;
      readonly cell: number;
      readonly gw: number;
      readonly gh: number;
      readonly scale: number;
    };
    readonly opens: readonly number[];
    readonly widths: readonly number[];
  };
  /** Absent: the presenter moves as generated. */
  readonly motion?: OwnMotion;
}

/** Plate alpha from which a pixel is fully opaque (presenters/FORMAT.md 1). */
export const OPAQUE = 250;

/** File of a pack's manifest. */
export const MANIFEST = 'manifest.json';

/** Version of the format that this reader understands. */
const VERSION = 1;

/** Greatest angle of a movement, radians. */
const MAX_ANGLE = 0.2;

/** Largest side of a plate in px; more is a mistake and would exhaust memory. */
const MAX_SIDE = 8192;

/**
 * Reads a manifest.
 * @throws PackError naming the file, the field, what was expected of it and what was found.
 */
export async function readManifest(files: PackFiles): Promise<Manifest> {
  const root = await readManifestFile(files, MANIFEST);
  const width = root.at('width').integer({ min: 16, max: MAX_SIDE });
  const height = root.at('height').integer({ min: 16, max: MAX_SIDE });
  const depth = root.at('depth');
  const depthMin = depth.at('min').number();
  const ground = root.at('ground');
  return {
    name: root.at('name').text(),
    width,
    height,
    base: root.at('base').fileName(),
    ...(ground.isThere() ? { ground: ground.fileName() } : {}),
    depth: {
      file: depth.at('file').fileName(),
      scale: depth.at('scale').integer({ min: 1, max: 64 }),
      min: depthMin,
      max: depth.at('max').number({ min: depthMin }),
    },
    head: readHead(root.at('head'), width, height),
    eye: readEye(root.at('eye'), width, height),
    mouth: readMouth(root.at('mouth'), width, height),
    ...(root.at('motion').isThere() ? { motion: readMotion(root.at('motion')) } : {}),
  };
}

function readHead(head: ManifestValue, width: number, height: number): HeadGeometry {
  const pivot = head.at('pivot').list(2);
  const chinY = head.at('chinY').number({ min: 0, max: height });
  return {
    pivotX: pivot[0]!.number({ min: 0, max: width }),
    pivotY: pivot[1]!.number({ min: 0, max: height }),
    chinY,
    neckY: head.at('neckY').number({ min: chinY + 1, max: height }),
    camDist: head.at('camDist').number({ min: height }),
    topY: head.at('topY').number({ min: 0, max: chinY - 1 }),
  };
}

function readEye(eye: ManifestValue, width: number, height: number): Manifest['eye'] {
  const [left, right] = eye
    .at('eyes')
    .list(2)
    .map((entry) => ({
      x: entry.at('x').number({ min: 0, max: width }),
      y: entry.at('y').number({ min: 0, max: height }),
      r: entry.at('r').number({ min: 1, max: width }),
    }));
  let last = 0;
  const stages = eye
    .at('stages')
    .list()
    .map((entry) => {
      last = entry.at('closed').number({ min: last + 0.01, max: 1 });
      return { file: entry.at('file').fileName(), closed: last };
    });
  if (last !== 1) throw new PackError(`${eye.name('stages')}: expected a last stage with closed 1, found ${last}`);
  return {
    box: readBox(eye.at('box'), width, height),
    mask: eye.at('mask').fileName(),
    eyes: [left!, right!],
    pxPerDeg: eye.at('pxPerDeg').number({ min: 0, max: 16 }),
    stages,
  };
}

function readMouth(mouth: ManifestValue, width: number, height: number): Manifest['mouth'] {
  const box = readBox(mouth.at('box'), width, height);
  const flow = mouth.at('flow');
  const cell = flow.at('cell').integer({ min: 1, max: 64 });
  // The field must cover the far sides of the box.
  const gw = Math.ceil((box[2] - box[0]) / cell) + 1;
  const gh = Math.ceil((box[3] - box[1]) / cell) + 1;
  const opens = readAxis(mouth.at('opens'));
  const widths = readAxis(mouth.at('widths'));
  const patches = mouth
    .at('patches')
    .list()
    .map((entry) => ({ id: entry.at('id').text(), file: entry.at('file').fileName() }));
  const ids = new Set(patches.map((patch) => patch.id));
  if (ids.size !== patches.length)
    throw new PackError(`${mouth.name('patches')}: expected each id once, found one twice`);
  return {
    box,
    patches,
    flow: {
      file: flow.at('file').fileName(),
      cell,
      gw: flow.at('gw').integer({ min: gw, max: gw + 1 }),
      gh: flow.at('gh').integer({ min: gh, max: gh + 1 }),
      scale: flow.at('scale').number({ min: 1 }),
    },
    opens,
    widths,
  };
}

function readMotion(motion: ManifestValue): OwnMotion {
  const curve = (name: string, length?: number): number[] => {
    const values = motion.at(name).list(length);
    return values.map((value) => value.number({ min: -MAX_ANGLE, max: MAX_ANGLE }));
  };
  const yaw = curve('yaw');
  return {
    rate: motion.at('rate').number({ min: 1, max: 60 }),
    yaw,
    pitch: curve('pitch', yaw.length),
    roll: curve('roll', yaw.length),
    blinksPerMinute: motion.at('blinksPerMinute').number({ min: 1, max: 60 }),
  };
}

function readAxis(field: ManifestValue): number[] {
  let last = -Infinity;
  const values = field.list().map((entry) => {
    const value = entry.number({ min: -1, max: 1 });
    if (value <= last) throw new PackError(`${field.name()}: expected rising values, found ${value} after ${last}`);
    last = value;
    return value;
  });
  if (values.length < 2) throw new PackError(`${field.name()}: expected at least 2 values, found ${values.length}`);
  return values;
}

function readBox(field: ManifestValue, width: number, height: number): PlateBox {
  const sides = field.list(4);
  const x0 = sides[0]!.integer({ min: 0, max: width - 8 });
  const y0 = sides[1]!.integer({ min: 0, max: height - 8 });
  return [x0, y0, sides[2]!.integer({ min: x0 + 8, max: width }), sides[3]!.integer({ min: y0 + 8, max: height })];
}

/** The root of a JSON file of version 1. Throws {@link PackError}. */
export async function readManifestFile(files: PackFiles, name: string): Promise<ManifestValue> {
  const bytes = await files.read(name);
  const file = files.pathOf(name);
  let parsed: unknown;
  try {
    parsed = JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw new PackError(`${file}: expected JSON, ${describe(cause)}`, { cause });
  }
  const root = new ManifestValue(parsed, file, '');
  root.at('version').number({ min: VERSION, max: VERSION });
  return root;
}

/** What was thrown, for messages. */
export function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A value of unknown type with its path, which error messages name. */
export class ManifestValue {
  constructor(
    private readonly value: unknown,
    private readonly file: string,
    private readonly path: string,
  ) {}

  at(key: string): ManifestValue {
    if (typeof this.value !== 'object' || this.value === null || Array.isArray(this.value)) {
      throw this.refusal('an object');
    }
    return new ManifestValue(Reflect.get(this.value, key), this.file, this.path === '' ? key : `${this.path}.${key}`);
  }

  isThere(): boolean {
    return this.value !== undefined;
  }

  list(length?: number): ManifestValue[] {
    if (!Array.isArray(this.value)) throw this.refusal('a list');
    if (this.value.length === 0 || (length !== undefined && this.value.length !== length)) {
      throw new PackError(`${this.name()}: expected ${length ?? 'some'} entries, found ${this.value.length}`);
    }
    return this.value.map((entry: unknown, index) => new ManifestValue(entry, this.file, `${this.path}[${index}]`));
  }

  number({ min = -Infinity, max = Infinity }: { min?: number; max?: number } = {}): number {
    if (typeof this.value !== 'number' || !Number.isFinite(this.value) || this.value < min || this.value > max) {
      throw this.refusal(min === max ? `${min}` : `a number from ${min} to ${max}`);
    }
    return this.value;
  }

  integer(range: { min: number; max: number }): number {
    const value = this.number(range);
    if (!Number.isInteger(value)) throw this.refusal('a whole number');
    return value;
  }

  text(): string {
    if (typeof this.value !== 'string' || this.value === '') throw this.refusal('a text');
    return this.value;
  }

  /** A plain file name inside the pack's folder; a path could point outside of it. */
  fileName(): string {
    const name = this.text();
    if (!/^[A-Za-z0-9][\w.-]*$/.test(name)) throw this.refusal('a file name without a path');
    return name;
  }

  name(key?: string): string {
    return `${this.file}: ${[this.path, key].filter(Boolean).join('.')}`;
  }

  private refusal(expected: string): PackError {
    return new PackError(`${this.name()}: expected ${expected}, found ${JSON.stringify(this.value) ?? 'nothing'}`);
  }
}
