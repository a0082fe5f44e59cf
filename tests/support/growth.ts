import { expect } from 'vitest';

/** Minimum processor time from which growth can be measured, milliseconds. */
const MEASURABLE_MS = 50;

/** Ratio of the text lengths. Linear work takes 8 times as long on the longer text, quadratic work 64 times. */
const STEP = 8;

/** Limit between linear and quadratic growth, with room for a busy machine on both sides. */
const MOST_GROWTH = 20;

/** Expects that the time of `work` grows in proportion to its text: `unit` repeated to `length` characters and to an eighth of them. */
export async function expectLinear(work: (text: string) => unknown, unit: string, length: number): Promise<void> {
  await expectLinearIn(length, (size) => {
    const text = textOf(unit, size);
    return () => work(text);
  });
}

/**
 * Expects that the time of a task grows in proportion to its size. `prepare` returns the task for a size; only the task
 * is measured. Uses processor time, because the machine may be busy; a long task that takes less than 50 ms passes.
 * Excessive growth is measured up to five times, because the compiler and the garbage collector also use processor
 * time.
 */
export async function expectLinearIn(size: number, prepare: (size: number) => () => unknown): Promise<void> {
  const [short, long] = [prepare(Math.ceil(size / STEP)), prepare(size)];
  // The first run compiles the code.
  await short();
  let [shortMs, longMs] = [Infinity, Infinity];
  for (let attempt = 0; attempt < 5; attempt++) {
    longMs = Math.min(longMs, await processorMs(long));
    if (longMs < MEASURABLE_MS) return;
    shortMs = Math.min(shortMs, await processorMs(short));
    if (longMs / Math.max(shortMs, MEASURABLE_MS / STEP) < MOST_GROWTH) return;
  }
  expect(
    longMs / Math.max(shortMs, MEASURABLE_MS / STEP),
    `times as long at size ${size} as at an eighth of it`,
  ).toBeLessThan(MOST_GROWTH);
}

/** `unit` repeated to `length` characters. */
export function textOf(unit: string, length: number): string {
  return unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
}

/** User time of the whole process while `work` runs, milliseconds. */
async function processorMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  return process.cpuUsage(before).user / 1000;
}

/** Each of these, repeated, once made a pattern or loop take quadratic time or worse. */
export const HOSTILE_UNITS = [
  ' ',
  '\n',
  '\t ',
  '{{',
  '{{ ',
  '{{a}} ',
  '}',
  '[',
  '[a](',
  '![](',
  '[a]((',
  '<',
  '<a ',
  '</h1>',
  '# ',
  '#',
  '# H\ntext is here. \n',
  'a\n===\n',
  '- a\n',
  '1. ',
  '`',
  '```a',
  '.',
  '. ',
  '! ',
  '"',
  '(',
  ')',
  'a ',
  'a',
  'a. ',
  'A.',
  '1',
  '1:23 ',
  '1.',
  '$5 ',
  '%',
  '@a',
  'a@a.',
  'http://',
  'www.a',
  '<break',
  '<break time="',
  '<break time = ',
  '中',
  '中。',
  'ภาษาไทย',
  '👩‍👩‍👧',
  '\u0301',
  'Dr. ',
  '…',
  '-',
  '—',
  '\0',
];
