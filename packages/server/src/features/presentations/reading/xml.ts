import { XMLParser } from 'fast-xml-parser';
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

/** Parses a part that {@link checkArchive} has accepted. `what` names it in errors. */
export function parseXml(bytes: Buffer, what: string): XmlElement {
  const parser = new XMLParser({
    preserveOrder: true,
    ignoreAttributes: false,
    attributeNamePrefix: '',
    trimValues: false,
    parseTagValue: false,
    parseAttributeValue: false,
    processEntities: true,
    htmlEntities: false,
    ignoreDeclaration: true,
    ignorePiTags: true,
    maxNestedTags: MAX_DEPTH,
  });
  let nodes: unknown;
  try {
    nodes = parser.parse(decodeMarkup(bytes));
  } catch (cause) {
    throw new PresentationProblem(`The file is damaged: ${what} is not valid XML.`, { cause });
  }
  const [root] = childrenOf(nodes, 0).filter((child): child is XmlElement => typeof child !== 'string');
  if (root === undefined) throw new PresentationProblem(`The file is damaged: ${what} is empty.`);
  return root;
}

/** The first child element with this name. */
export function child(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return element?.children.find((one): one is XmlElement => typeof one !== 'string' && one.name === name);
}

/** The element at the end of a path of child names. */
export function at(element: XmlElement | undefined, ...path: readonly string[]): XmlElement | undefined {
  return path.reduce<XmlElement | undefined>((current, name) => child(current, name), element);
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
  const attributes = element?.attributes ?? {};
  return attributes[name] ?? prefixed(element, name);
}

/** The prefixed attribute with this local name: `r:id` instead of `id`. */
export function prefixed(element: XmlElement | undefined, name: string): string | undefined {
  return Object.entries(element?.attributes ?? {}).find(([key]) => key.endsWith(`:${name}`))?.[1];
}

/** A numeric attribute; `undefined` when absent or not a number. */
export function numberOf(element: XmlElement | undefined, name: string): number | undefined {
  const text = attribute(element, name);
  const value = text === undefined || text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : undefined;
}

/** `1` and `true`. */
export function isOn(text: string | undefined): boolean {
  return text === '1' || text === 'true';
}

/** The text of a part in any Unicode encoding. */
export function decodeMarkup(bytes: Buffer): string {
  const [first, second] = bytes;
  const text =
    first === 0xfe && second === 0xff
      ? Buffer.from(bytes).swap16().toString('utf16le')
      : bytes.toString((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0) ? 'utf16le' : 'utf8');
  return text.replace(/^\uFEFF/, '');
}

function childrenOf(nodes: unknown, depth: number): (XmlElement | string)[] {
  if (!Array.isArray(nodes)) return [];
  if (depth > MAX_DEPTH) throw new PresentationProblem('The file is damaged: its markup is nested too deeply.');
  return nodes.flatMap((node: Record<string, unknown>): (XmlElement | string)[] => {
    const key = Object.keys(node).find((one) => one !== ':@');
    if (key === undefined) return [];
    if (key === '#text') return [String(node[key])];
    const attributes = (node[':@'] ?? {}) as Record<string, unknown>;
    return [
      {
        name: key.slice(key.indexOf(':') + 1),
        attributes: Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, String(value)])),
        children: childrenOf(node[key], depth + 1),
      },
    ];
  });
}
