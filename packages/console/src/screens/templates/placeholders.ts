import type { Slide } from '@figurehead/sdk';

/** What a row can fill in: `{{names}}` of speech and canvas text, and ids of pictures and clips, in order of appearance. */
export function placeholdersOf(slides: readonly Slide[]): string[] {
  const found = new Set<string>();
  const read = (text: string | null | undefined) => {
    for (const match of (text ?? '').matchAll(/\{\{([^{}]+)\}\}/g)) found.add(match[1]?.trim() ?? '');
  };
  for (const slide of slides) {
    read(slide.speech);
    for (const object of slide.canvas?.objects ?? []) {
      read(object.text);
      if ((object.type === 'image' || object.type === 'video') && object.id) found.add(String(object.id));
    }
  }
  return [...found].filter((name) => name !== '');
}

/** A problem of one row before anything is sent. */
export interface RowProblem {
  readonly row: number;
  readonly message: string;
}

/** What is wrong with rows: values that are missing. Rows count from 1, as people count. */
export function checkRows(rows: readonly Readonly<Record<string, string>>[], names: readonly string[]): RowProblem[] {
  return rows.flatMap((row, index) => {
    const missing = names.filter((name) => !row[name]?.trim());
    return missing.length === 0 ? [] : [{ row: index + 1, message: `nothing for ${missing.join(', ')}` }];
  });
}

/** The column that most likely belongs to a placeholder: same letters, whatever case and punctuation. */
export function guessColumn(name: string, columns: readonly string[]): string | null {
  const plain = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  return columns.find((column) => plain(column) === plain(name)) ?? null;
}
