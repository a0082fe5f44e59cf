import { posix } from 'node:path';
import type { Archive } from '../reading/archive.js';
import { PresentationProblem } from '../reading/problem.js';
import { attribute, elements, parseXml, type XmlElement } from '../reading/xml.js';

/** A relationship of a part (ECMA-376 part 2, clause 9.3). */
interface Relationship {
  /** Last segment of its type's URI: `slide`, `notesSlide`, `image`. */
  readonly type: string;
  /** Name of the part, or the URL of an external one. */
  readonly target: string;
  readonly external: boolean;
}

/** A markup part, with access to the parts that it refers to. */
export interface Part {
  readonly name: string;
  readonly root: XmlElement;
  /** The part of a relationship id; `undefined` for external ones, which are never fetched. */
  target(id: string | undefined): string | undefined;
  /** The URL of an external relationship. */
  external(id: string | undefined): string | undefined;
  /** The first part with this kind of relationship. */
  related(type: string): string | undefined;
  /** External targets except hyperlinks: linked pictures, videos and objects. */
  readonly linked: readonly string[];
}

/** Reads a part and its relationships. Throws {@link PresentationProblem} when it is missing. */
export async function readPart(archive: Archive, name: string): Promise<Part> {
  const bytes = await archive.read(name);
  if (bytes === undefined) throw new PresentationProblem(`The file is damaged: its part ${name} is missing.`);
  const relationships = await readRelationships(archive, name);
  const found = (id: string | undefined, external: boolean): string | undefined => {
    const one = id === undefined ? undefined : relationships.get(id);
    return one?.external === external ? one.target : undefined;
  };
  const internal = [...relationships.values()].filter(({ external }) => !external);
  return {
    name,
    root: parseXml(bytes, name),
    target: (id) => found(id, false),
    external: (id) => found(id, true),
    related: (type) => internal.find((one) => one.type === type)?.target,
    linked: [...relationships.values()]
      .filter(({ external, type }) => external && type !== 'hyperlink')
      .map(({ target }) => target),
  };
}

/** Relationships of a part by id; `''` names the package itself. */
export async function readRelationships(archive: Archive, name: string): Promise<Map<string, Relationship>> {
  const folder = posix.dirname(name);
  const bytes = await archive.read(posix.join(folder, '_rels', `${posix.basename(name)}.rels`));
  if (bytes === undefined) return new Map();
  const root = parseXml(bytes, `the relationships of ${name || 'the file'}`);
  return new Map(
    elements(root, 'Relationship').map((element) => {
      const external = attribute(element, 'TargetMode') === 'External';
      const given = attribute(element, 'Target') ?? '';
      const target = external ? given : posix.join(given.startsWith('/') ? '' : folder, given).replace(/^\/+/, '');
      const type = (attribute(element, 'Type') ?? '').split('/').at(-1) ?? '';
      return [attribute(element, 'Id') ?? '', { type, target, external }];
    }),
  );
}
