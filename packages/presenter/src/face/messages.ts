import type { FaceMessage } from '@figurehead/contract';
import type { SpokenStretch } from './contract.js';

type StretchMessage = Extract<FaceMessage, { readonly type: 'face.stretch' }>;

/** Speech as it is sent to a viewer that draws the presenter. Loudness is rounded to bytes, which changes no pose visibly. */
export function stretchMessage({ start, samples, marks, energy }: SpokenStretch): StretchMessage {
  return {
    type: 'face.stretch',
    start,
    samples,
    phonemes: marks.phonemes.map((mark) => [mark.phone, mark.stress, mark.start, mark.end]),
    words: marks.words.map((word) => [word.text, word.start, word.end]),
    energy: btoa(Array.from(energy, (value) => String.fromCharCode(Math.round(255 * value))).join('')),
  };
}

/** The speech of a message from {@link stretchMessage}. Words have no place in a text, which no movement depends on. */
export function readStretch({ start, samples, phonemes, words, energy }: StretchMessage): SpokenStretch {
  const bytes = atob(energy);
  return {
    start,
    samples,
    marks: {
      phonemes: phonemes.map(([phone, stress, from, to]) => ({
        phone,
        stress: stress as 0 | 1 | 2,
        start: from,
        end: to,
      })),
      words: words.map(([text, from, to]) => ({ text, textStart: 0, textEnd: 0, start: from, end: to })),
    },
    energy: new Float32Array(bytes.length).map((_, i) => bytes.charCodeAt(i) / 255),
  };
}
