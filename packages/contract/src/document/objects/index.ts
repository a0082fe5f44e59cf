import { type TSchema, Type } from '@sinclair/typebox';
import { Nullish } from '../../schemas/common.js';
import { shapedBy } from '../../schemas/stored-types.js';
import type { ObjectAnimation } from '../animation.js';
import {
  type DocumentPosition,
  type Fields,
  isRecord,
  type MemberReader,
  quote,
  type ReadOf,
  reading,
  type StoredOf,
} from '../field.js';
import { FORMATS } from '../output.js';
import { namesOf } from '../table.js';
import { BASE, type CanvasSize, type ObjectRow, type Placed, readPlaced } from './base.js';
import { OBJECTS, type ObjectType } from './table.js';
import { STYLES } from './text-style.js';

type Row<T extends ObjectType> = (typeof OBJECTS)[T];
type ReadRow<T extends ObjectType> = NonNullable<ReturnType<Row<T>['read']>>;
type Merged<Own> = Omit<Placed, keyof Own> & Own & Nested & HeldBy<Own>;
type HeldBy<Own> = Own extends { readonly type: 'group' } ? Holder : unknown;

interface Holder {
  readonly objects: readonly SceneObject[];
}

interface Nested {
  /** Clip shape in the object's coordinates (origin at its centre); nothing outside it is drawn. */
  readonly clip: SceneObject | null;
  /** Null for parts of a group or a clip, because only whole objects are animated. */
  readonly animation: ObjectAnimation | null;
}

/** An object after reading: with all defaults, every number within its range. */
export type SceneObject = { [T in ObjectType]: Merged<ReadRow<T>> }[ObjectType];
type Of<T extends SceneObject['type']> = Extract<SceneObject, { readonly type: T }>;
/** Text. A `textbox` wraps at its width; the others are as wide as their longest line. */
export type TextObject = Of<'text' | 'textbox'>;
/** A picture. */
export type ImageObject = Of<'image'>;
/** The position of the slide's presenter. */
export type AvatarObject = Of<'avatar'>;
/** A video. */
export type VideoObject = Of<'video'>;

type FieldsOf<T extends ObjectType> = Row<T>['fields'];
type FieldNames<T extends ObjectType> = T extends ObjectType ? keyof FieldsOf<T> & string : never;
type FieldNamed<K, T extends ObjectType = ObjectType> = T extends ObjectType
  ? K extends keyof FieldsOf<T>
    ? FieldsOf<T>[K]
    : never
  : never;
/** An object as stored, with the fields of all types; other fields belong to Fabric. */
export type CanvasObject = { type: string; id?: string | number | null } & {
  [K in keyof typeof BASE]?: StoredOf<(typeof BASE)[K]>;
} & { [K in Exclude<FieldNames<ObjectType>, keyof typeof BASE>]?: StoredOf<FieldNamed<K>> } & {
  [property: string]: unknown;
};

/** The schema of an object of one type, for documentation. */
function schemaOf(type: ObjectType) {
  const { label, fields } = OBJECTS[type];
  const id = `${type[0]!.toUpperCase()}${type.slice(1)}Object`;
  const properties = { type: { const: type }, ...BASE, ...fields };
  return { $id: id, type: 'object', title: label, required: ['type'], properties };
}

const written = (maxLength: number) => Nullish(Type.String({ maxLength }));
const numbers = Object.fromEntries(
  ['left', 'top', 'width', 'height', 'scaleX', 'scaleY', 'angle', 'fontSize'].map((key) => [key, Type.Number()]),
);

/** The fields of every object that are validated when it is written. */
const PLAIN_OBJECT = Type.Object(
  {
    type: Type.String({
      maxLength: 50,
      examples: ['textbox'],
      description: 'Unknown types are stored but not drawn.',
    }),
    id: Type.Optional(Type.Union([Type.String({ maxLength: 200 }), Type.Integer(), Type.Null()])),
    ...Type.Partial(Type.Object(numbers)).properties,
    opacity: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    src: written(4_000_000),
    text: written(100_000),
    fontFamily: written(200),
    textAlign: written(50),
  },
  {
    $id: 'CanvasObject',
    additionalProperties: Type.Unknown(),
    description: `A Fabric.js object. The canvas of a wide video measures ${FORMATS['16_9'].width}×${FORMATS['16_9'].height} units.`,
  },
);

/**
 * A Fabric.js object on a canvas of {@link FORMATS}. The fields of {@link PLAIN_OBJECT} are validated when it is written; other
 * fields are stored with the types of `withStoredTypes`, documented by the object's type, and validated when the video
 * is rendered or checked.
 */
export const CanvasObject = shapedBy(
  Type.Unsafe<CanvasObject>({ ...PLAIN_OBJECT, anyOf: [...namesOf(OBJECTS).map(schemaOf), {}] }),
  ({ type }) => MEMBERS.get(objectTypeOf(type)) ?? PLAIN_OBJECT.properties,
);

/** Everything that objects of a type may contain. Held objects are of any type, which their own schema does not say. */
const MEMBERS: ReadonlyMap<ObjectType | undefined, Readonly<Record<string, TSchema>>> = new Map(
  namesOf(OBJECTS).map((type) => [
    type,
    {
      ...PLAIN_OBJECT.properties,
      ...BASE,
      ...OBJECTS[type].fields,
      styles: STYLES,
      clipPath: CanvasObject,
      objects: Type.Array(CanvasObject),
    },
  ]),
);

/** Maximum objects of a slide, including children of groups; drawing more would only block a worker. */
export const MAX_OBJECTS = 2_000;
/** Maximum animated objects of a slide: each is blended into every frame of its motion. */
export const MAX_MOVING = 64;
/** Maximum nesting of groups and clips. */
const MAX_DEPTH = 8;

/** Settings of the reader, and counts on the slide so far. */
interface Session {
  readonly fitTextBox: boolean;
  count: number;
  moving: number;
}

/** The type of a stored `type`: `i-text`, `IText` and `i_text` are equal. */
export function objectTypeOf(type: unknown): ObjectType | undefined {
  const name = String(type).toLowerCase().replace(/[-_ ]/g, '');
  return namesOf(OBJECTS).find((key) => key === name || (OBJECTS[key].aliases?.includes(name) ?? false));
}

/** Reads the objects of a canvas, bottom first; unknown and invisible ones are left out. */
export function readObjects(
  list: unknown,
  canvas: DocumentPosition,
  options: { readonly fitTextBox: boolean },
): readonly SceneObject[] {
  return readList(list, canvas, { fitTextBox: options.fitTextBox, count: 0, moving: 0 }, 0);
}

function readList(list: unknown, owner: DocumentPosition, session: Session, depth: number): SceneObject[] {
  if (list === undefined || list === null) return [];
  if (!Array.isArray(list)) {
    owner.at('objects').note(`expected a list of objects, got ${quote(list)}`);
    return [];
  }
  session.count += list.length;
  if (session.count > MAX_OBJECTS) {
    owner.at('objects').note(`a slide holds at most ${MAX_OBJECTS} objects, this one has ${session.count}`);
    return [];
  }
  return list.flatMap((raw: unknown, index) => {
    const place = owner.item('objects', index);
    if (!isRecord(raw)) place.note(`expected an object, got ${quote(raw)}`);
    const object = isRecord(raw) && raw['visible'] !== false ? readObject(raw, place, session, depth) : null;
    return object === null ? [] : [object];
  });
}

function readObject(
  source: Readonly<Record<string, unknown>>,
  place: DocumentPosition,
  session: Session,
  depth: number,
): SceneObject | null {
  if (depth > MAX_DEPTH) {
    place.note('groups and clip paths are nested more than eight deep');
    return null;
  }
  const type = objectTypeOf(source['type']);
  if (type === undefined) {
    place.at('type').note(`an object of type ${quote(source['type'])} is not drawn`, 'warning');
    return null;
  }
  const row: ObjectRow<Fields, { readonly type: string }> = OBJECTS[type] as never;
  const read = reading({ ...BASE, ...row.fields }, source, place);
  const base = readPlaced(read as MemberReader<typeof BASE>, place.path);
  const clip = read('clipPath') as ReadOf<(typeof BASE)['clipPath']>;
  const nested: Nested = {
    clip: clip === null ? null : readObject(clip, place.at('clipPath'), session, depth + 1),
    animation: depth > 0 ? null : limitMoving(read('animation') as ObjectAnimation | null, place, session),
  };
  const own = row.read(read as never, base, { source, place, fitTextBox: session.fitTextBox });
  if (own === null) return null;
  const held = row.holdsObjects ? { objects: readList(source['objects'], place, session, depth + 1) } : {};
  return { ...base, ...nested, ...own, ...held } as SceneObject;
}

function limitMoving(
  animation: ObjectAnimation | null,
  place: DocumentPosition,
  session: Session,
): ObjectAnimation | null {
  if (animation === null) return null;
  session.moving++;
  if (session.moving <= MAX_MOVING) return animation;
  if (session.moving === MAX_MOVING + 1) {
    place
      .at('animation')
      .note(`at most ${MAX_MOVING} objects of a slide can move; this one and later ones are static`, 'warning');
  }
  return null;
}

/** Types that an editor can create without a file. */
export function creatableTypes(): ObjectType[] {
  return namesOf(OBJECTS).filter((type) => OBJECTS[type].create !== undefined);
}

/** A new object in the middle of its canvas. */
export function newObject(type: ObjectType, canvas: CanvasSize): CanvasObject {
  const made = OBJECTS[type].create?.(canvas) ?? { width: 100, height: 100 };
  const [left, top] = [Math.round((canvas.width - made.width) / 2), Math.round((canvas.height - made.height) / 2)];
  return { type, left, top, originX: 'left', originY: 'top', ...made };
}
