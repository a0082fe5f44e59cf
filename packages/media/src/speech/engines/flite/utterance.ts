import type { TimedPhone } from './phones.js';
import type { MemoryProgram } from './program.js';

/**
 * The phones of an utterance whose durations are known and whose sound is about to be computed.
 * @param utterance address of the utterance in the memory of a patched program.
 * @param start of the utterance in the output, in seconds.
 */
export function phonesOf(program: MemoryProgram, utterance: number, start: number): TimedPhone[] {
  // Paths to features of a segment (Flite's utterance structure: Taylor, Black & Caley 2001).
  const [relation, name, end] = [stored(program, 'Segment'), stored(program, 'name'), stored(program, 'end')];
  const stress = stored(program, 'R:SylStructure.parent.stress');
  const phones: TimedPhone[] = [];
  let item = program.call('relation_head', program.call('utt_relation', utterance, relation));
  for (let at = start; item !== 0; item = program.call('item_next', item)) {
    const stop = start + program.call('ffeature_float', item, end);
    const phone = textAt(program, program.call('ffeature_string', item, name));
    phones.push({ phone, start: at, end: stop, isStressed: program.call('ffeature_int', item, stress) > 0 });
    at = stop;
  }
  return phones;
}

/** Stores a C string in the program's memory. @returns its address. */
function stored(program: MemoryProgram, text: string): number {
  const bytes = Buffer.from(`${text}\0`);
  const at = program.call('malloc', bytes.length);
  new Uint8Array(program.memory, at, bytes.length).set(bytes);
  return at;
}

function textAt(program: MemoryProgram, at: number): string {
  const bytes = new Uint8Array(program.memory, at);
  return Buffer.from(bytes.subarray(0, bytes.indexOf(0))).toString();
}
