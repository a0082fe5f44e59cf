import { XMLParser } from 'fast-xml-parser';
import type { Archive } from './archive.js';
import { PresentationProblem } from './problem.js';

/** An element of a part. Element names have no namespace prefix, attribute names keep theirs. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** Elements and text in document order. */
  readonly children: readonly (XmlElement | string)[];
}

/** Deeper than the markup of any common program. */
const MAX_DEPTH = 200;

/** Parses a part of a checked archive. Throws {@link PresentationProblem} when it is missing or not XML. */
export async function readMarkup(archive: Archive, name: string): Promise<XmlElement> {
  const bytes = await archive.read(name);
  if (bytes === undefined) throw new PresentationProblem(`The file is damaged: its part ${name} is missing.`);
  const parser = new XMLParser({
    preserveOrder: true,
    ignoreAttributes: false,
    attributeNamePrefix: '',
    trimValues: false,
    parseTagValue: false,
    ignoreDeclaration: true,
    ignorePiTags: true,
    maxNestedTags: MAX_DEPTH,
  });
  try {
    const [root] = childrenOf(parser.parse(decodeMarkup(bytes))).filter((one) => typeof one !== 'string');
    if (root !== undefined) return root;
  } catch (cause) {
    throw new PresentationProblem(`The file is damaged: its part ${name} is not valid XML.`, { cause });
  }
  throw new PresentationProblem(`The file is damaged: its part ${name} is empty.`);
}

/** The first element at the end of a path of child names. */
export function at(element: XmlElement | undefined, ...path: readonly string[]): XmlElement | undefined {
  return path.reduce((current, name) => elements(current, name)[0], element);
}

/** Child elements, optionally only those with a name. */
export function elements(element: XmlElement | undefined, name?: string): XmlElement[] {
  return (element?.children ?? []).filter(
    (one): one is XmlElement => typeof one !== 'string' && (name === undefined || one.name === name),
  );
}

/** All descendants with this name, in document order. */
export function descendants(element: XmlElement | undefined, name: string): XmlElement[] {
  return elements(element).flatMap((one) => [...(one.name === name ? [one] : []), ...descendants(one, name)]);
}

/** The attribute with this local name and any prefix; an unprefixed one takes precedence. */
export function attribute(element: XmlElement | undefined, name: string): string | undefined {
  return element?.attributes[name] ?? prefixed(element, name);
}

/** The prefixed attribute with this local name: `r:id` instead of `id`. */
export function prefixed(element: XmlElement | undefined, name: string): string | undefined {
  return Object.entries(element?.attributes ?? {}).find(([key]) => key.endsWith(`:${name}`))?.[1];
}

/** The text of a part in any Unicode encoding. */
export function decodeMarkup(bytes: Buffer): string {
  const isBigEndian = bytes[0] === 0xfe && bytes[1] === 0xff;
  const isLittleEndian = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0x3c && bytes[1] === 0);
  const ordered = isBigEndian ? Buffer.from(bytes).swap16() : bytes;
  return ordered.toString(isBigEndian || isLittleEndian ? 'utf16le' : 'utf8').replace(/^\uFEFF/, '');
}

function childrenOf(nodes: unknown): (XmlElement | string)[] {
  if (!Array.isArray(nodes)) return [];
  return nodes.flatMap((node: Record<string, unknown>): (XmlElement | string)[] => {
    const { ':@': attributes = {}, ...rest } = node;
    const [[name, content] = ['', undefined]] = Object.entries(rest);
    if (name === '#text') return [String(content)];
    const local = name.slice(name.indexOf(':') + 1);
    return [{ name: local, attributes: attributes as XmlElement['attributes'], children: childrenOf(content) }];
  });
}
