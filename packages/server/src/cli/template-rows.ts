import { readFile } from 'node:fs/promises';
import { fillTemplate, isRecord, type TemplateRow } from '@figurehead/contract/document';
import { OperatorError } from '../kernel/operator-error.js';

/** A video document as read from a file. */
export interface SourceDocument {
  readonly name: string;
  readonly slides: readonly unknown[];
  readonly data: unknown;
}

/** A document to render, and where to. */
export interface RenderOrder {
  readonly document: SourceDocument;
  readonly output: string;
}

/** Characters that some file system does not take in a name, and those that would lead to another folder. */
const UNNAMEABLE = /[\\/:*?"<>|\p{Cc}]/gu;

/**
 * A document for each row of a CSV file or Excel workbook, whose first line names the columns. `output` has placeholders too.
 * Throws an `OperatorError` with every problem of every row, before anything is rendered.
 */
export async function fillRows(template: SourceDocument, file: string, output: string): Promise<RenderOrder[]> {
  requireObjects(template.slides, 'slides');
  const rows = await readRows(file);
  const problems: string[] = [];
  const lines = new Map<string, number>();
  const orders = rows.map((row, index): RenderOrder => {
    const { name, slides, problems: own } = fillTemplate(template as Parameters<typeof fillTemplate>[0], row);
    const path = fillTemplate({ name: output, slides: [] }, nameable(row), '');
    const earlier = lines.get(path.name);
    if (earlier !== undefined) {
      problems.push(
        `row ${index + 1}: ${path.name} is the output of row ${earlier} too; --output needs a {{placeholder}} that differs`,
      );
    }
    lines.set(path.name, index + 1);
    const all = [...own, ...path.problems.map(({ message }) => ({ field: '--output', message }))];
    problems.push(...all.map(({ field, message }) => `row ${index + 1}: ${field}: ${message}`));
    return { document: { ...template, name, slides }, output: path.name };
  });
  if (problems.length > 0) throw new OperatorError(`${file} does not fit.\n  ${problems.join('\n  ')}`);
  return orders;
}

function nameable(row: TemplateRow): TemplateRow {
  const named = Object.entries(row).filter(([key]) => key !== '');
  return Object.fromEntries(named.map(([key, value]) => [key, String(value).replace(UNNAMEABLE, '-')]));
}

/** Rendering reports other faults; these would keep a row's values from being put in. */
function requireObjects(list: unknown, at: string): void {
  if (list === undefined || list === null) return;
  if (!Array.isArray(list)) throw new OperatorError(`${at} must be a list.`);
  for (const [index, item] of list.entries()) {
    const place = `${at}[${index}]`;
    if (!isRecord(item)) throw new OperatorError(`${place} must be an object.`);
    if (at !== 'slides' && typeof item['type'] !== 'string') throw new OperatorError(`${place}.type must be text.`);
    const { canvas } = item;
    if (isRecord(canvas)) requireObjects(canvas['objects'], `${place}.canvas.objects`);
    requireObjects(item['objects'], `${place}.objects`);
  }
}

async function readRows(file: string): Promise<readonly TemplateRow[]> {
  const bytes = await readFile(file).catch((cause: unknown) => {
    throw new OperatorError(`${file} cannot be read: ${(cause as Error).message}`, { cause });
  });
  const { readSheet } = await import('@figurehead/sdk/tables');
  const { locale } = Intl.DateTimeFormat().resolvedOptions();
  try {
    return (await readSheet(new File([bytes], file), { language: locale })).rows;
  } catch (cause) {
    throw new OperatorError(`${file}: ${(cause as Error).message}`, { cause });
  }
}
