import type { Slide } from '@figurehead/sdk';
import { textsOf } from '@figurehead/sdk/document';

const NAMESPACE = 'urn:oasis:names:tc:xliff:document:2.0';

/** Translated texts by their position in the video. */
export interface Translation {
  /** BCP 47; absent when the file does not contain it. */
  readonly language: string | undefined;
  readonly texts: ReadonlyMap<string, string>;
}

/** The texts of a video as XLIFF 2.1, for translation tools. */
export function xliffOf(video: { id: string; slides: readonly Slide[]; language: string }): string {
  const file = document.implementation.createDocument(NAMESPACE, 'xliff');
  const add = (parent: Element, name: string, attributes: Record<string, string>, text?: string) => {
    const element = file.createElementNS(NAMESPACE, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    parent.append(element);
    return element;
  };
  const root = file.documentElement;
  root.setAttribute('version', '2.1');
  root.setAttribute('srcLang', video.language);
  const content = add(root, 'file', { id: video.id });
  for (const [index, { id, text }] of textsOf(video.slides).entries()) {
    const unit = add(content, 'unit', { id: `u${index + 1}`, name: id });
    add(add(unit, 'segment', {}), 'source', { 'xml:space': 'preserve' }, text);
  }
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(file)}`;
}

/** Reads a translated file. Throws an error with a message for the user when it is not one. */
export function readXliff(text: string): Translation {
  const file = new DOMParser().parseFromString(text, 'application/xml');
  const root = file.documentElement;
  if (root.localName !== 'xliff') throw new Error('This is not an XLIFF file.');
  const texts = new Map<string, string>();
  for (const unit of file.getElementsByTagNameNS('*', 'unit')) {
    const targets = [...unit.getElementsByTagNameNS('*', 'target')].map(({ textContent }) => textContent ?? '');
    const name = unit.getAttribute('name');
    if (name && targets.length > 0) texts.set(name, targets.join(''));
  }
  if (texts.size === 0) throw new Error('This file has no translations: its units have no <target>.');
  return { language: root.getAttribute('trgLang') ?? undefined, texts };
}
