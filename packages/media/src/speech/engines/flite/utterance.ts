import type { TimedPhone } from './phones.js';
import type { MemoryProgram } from './program.js';
import type { TappedFunction } from './wave-tap.js';

/** Paths from a segment to its features (Flite's utterance structure: Taylor, Black & Caley 2001). */
const PHONE = 'name';
const END = 'end';
const STRESS = 'R:SylStructure.parent.stress';

/**
 * The phones of an utterance whose durations are known and whose sound is about to be computed.
 * @param utterance address of the utterance in the memory of a patched program.
 * @param start of the utterance in the output, in seconds.
 */
export function phonesOf(program: MemoryProgram, utterance: number, start: number): TimedPhone[] {
  const call = (name: TappedFunction, ...values: number[]): number => program.call(name, ...values);
  const [relation, name, end, stress] = ['Segment', PHONE, END, STRESS].map((text) => stored(program, text)) as [
    number,
    number,
    number,
    number,
  ];
  const phones: TimedPhone[] = [];
  let item = call('relation_head', call('utt_relation', utterance, relation));
  for (let at = start; item !== 0; item = call('item_next', item)) {
    const stop = start + call('ffeature_float', item, end);
    const phone = textAt(program, call('ffeature_string', item, name));
    phones.push({ phone, start: at, end: stop, isStressed: call('ffeature_int', item, stress) > 0 });
    at = stop;
  }
  return phones;
}

/** Stores a C string in the program's memory. @returns its address. */
function stored(program: MemoryProgram, text: string): number {
  const bytes = Buffer.from(`${text}\0`);
  const name: TappedFunction = 'malloc';
  const at = program.call(name, bytes.length);
  new Uint8Array(program.memory, at, bytes.length).set(bytes);
  return at;
}

function textAt(program: MemoryProgram, at: number): string {
  const bytes = new Uint8Array(program.memory, at);
  return Buffer.from(bytes.subarray(0, bytes.indexOf(0))).toString();
}
