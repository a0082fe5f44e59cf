import { attribute, child, elements, type XmlElement } from '../reading/xml.js';

/** Styles of an OpenDocument file, with inheritance. */
export interface Styles {
  /** A property of the first style in `names` (nearest first), or of its ancestors, that defines it. */
  find(names: readonly (string | undefined)[], group: string, property: string): string | undefined;
  /** Font family of text in these styles: a name or a declared font face, the nearer of the two. */
  family(names: readonly (string | undefined)[]): string | undefined;
}

/** @param sheets roots of `content.xml` and `styles.xml`. */
export function readStyles(sheets: readonly XmlElement[]): Styles {
  const styles = new Map<string, XmlElement>();
  for (const sheet of sheets) {
    for (const group of ['automatic-styles', 'styles']) {
      for (const style of elements(child(sheet, group))) {
        const name = attribute(style, 'name');
        // The automatic styles of both files may share names; those of the content come first and apply to the pages.
        if (name !== undefined && !styles.has(name)) styles.set(name, style);
      }
    }
  }
  const faces = new Map(
    sheets
      .flatMap((sheet) => elements(child(sheet, 'font-face-decls'), 'font-face'))
      .map((face) => [attribute(face, 'name'), attribute(face, 'font-family')]),
  );
  function* ancestry(names: readonly (string | undefined)[]): Generator<XmlElement> {
    for (const start of names) {
      let style = start === undefined ? undefined : styles.get(start);
      for (let depth = 0; style !== undefined && depth < 20; depth++) {
        yield style;
        style = styles.get(attribute(style, 'parent-style-name') ?? '');
      }
    }
  }
  return {
    find(names, group, property) {
      for (const style of ancestry(names)) {
        const value = attribute(child(style, group), property);
        if (value !== undefined) return value;
      }
      return undefined;
    },
    family(names) {
      for (const style of ancestry(names)) {
        const properties = child(style, 'text-properties');
        const face = attribute(properties, 'font-name');
        const value =
          attribute(properties, 'font-family') ?? (face === undefined ? undefined : (faces.get(face) ?? face));
        if (value !== undefined) return value;
      }
      return undefined;
    },
  };
}

/** A length of OpenDocument in points; 0 when it is not a length. */
export function points(text: string | undefined): number {
  const match = /^(-?[\d.]+)(cm|mm|in|pt|pc|px)$/.exec(text?.trim() ?? '');
  if (match === null) return 0;
  const factor = { cm: 72 / 2.54, mm: 72 / 25.4, in: 72, pt: 1, pc: 12, px: 0.75 }[match[2] ?? ''] ?? 0;
  const value = Number(match[1]) * factor;
  return Number.isFinite(value) ? value : 0;
}

/** `#rrggbb`, or `undefined` for values such as `transparent`. */
export function colorOf(text: string | undefined): string | undefined {
  return /^#[0-9a-f]{6}$/i.test(text ?? '') ? text?.toLowerCase() : undefined;
}
