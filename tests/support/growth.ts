/** Shorter processor times say nothing about growth, milliseconds. */
const MEASURABLE_MS = 20;

/**
 * How much longer `work` takes on a text four times as long: about 4 when its time is linear, 16 when it is quadratic, 64
 * when it is cubic. Uses processor time, the minimum of three runs, because the machine may be busy. Below 20 ms it is 1.
 */
export async function growthOf(work: (text: string) => unknown, unit: string, length: number): Promise<number> {
  const short = await leastTime(work, textOf(unit, length));
  const long = await leastTime(work, textOf(unit, 4 * length));
  return long < MEASURABLE_MS ? 1 : long / Math.max(short, 1);
}

/** `unit` repeated to `length` characters. */
export function textOf(unit: string, length: number): string {
  return unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
}

async function leastTime(work: (text: string) => unknown, text: string): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < 3; run++) {
    const before = process.cpuUsage();
    await work(text);
    times.push(process.cpuUsage(before).user / 1000);
  }
  return Math.min(...times);
}

/** When repeated, each of these made some pattern or loop take quadratic time or worse. */
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
