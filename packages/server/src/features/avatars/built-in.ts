import type { Avatar } from '@figurehead/contract';

interface Person {
  readonly gender: 'male' | 'female';
  readonly age: NonNullable<Avatar['age']>;
  readonly voice: string;
}

/**
 * Properties of the built-in presenters that their manifests do not contain, in the order of the catalogue: those made from
 * photographs first.
 */
export const BUILT_IN_PEOPLE: Readonly<Record<string, Person>> = {
  clara: { gender: 'female', age: 'middle-aged', voice: 'slt' },
  daniel: { gender: 'male', age: 'middle-aged', voice: 'rms' },
  zola: { gender: 'female', age: 'young', voice: 'slt' },
  minh: { gender: 'male', age: 'middle-aged', voice: 'rms' },
  vera: { gender: 'female', age: 'young', voice: 'slt' },
  omar: { gender: 'male', age: 'young', voice: 'rms' },
  lian: { gender: 'female', age: 'middle-aged', voice: 'slt' },
  mateo: { gender: 'male', age: 'young', voice: 'rms' },
  ruth: { gender: 'female', age: 'old', voice: 'slt' },
  kofi: { gender: 'male', age: 'middle-aged', voice: 'rms' },
  rosa: { gender: 'female', age: 'old', voice: 'slt' },
  jun: { gender: 'male', age: 'middle-aged', voice: 'rms' },
  lucia: { gender: 'female', age: 'young', voice: 'slt' },
  henrik: { gender: 'male', age: 'middle-aged', voice: 'awb' },
  greta: { gender: 'female', age: 'middle-aged', voice: 'slt' },
  adam: { gender: 'male', age: 'middle-aged', voice: 'rms' },
  amara: { gender: 'female', age: 'young', voice: 'slt' },
  arjun: { gender: 'male', age: 'middle-aged', voice: 'rms' },
  ava: { gender: 'female', age: 'young', voice: 'slt' },
  diego: { gender: 'male', age: 'middle-aged', voice: 'rms' },
  helen: { gender: 'female', age: 'old', voice: 'slt' },
  kenji: { gender: 'male', age: 'middle-aged', voice: 'rms' },
  leo: { gender: 'male', age: 'young', voice: 'rms' },
  marcus: { gender: 'male', age: 'young', voice: 'rms' },
  mei: { gender: 'female', age: 'young', voice: 'slt' },
  nora: { gender: 'female', age: 'young', voice: 'slt' },
  priya: { gender: 'female', age: 'middle-aged', voice: 'slt' },
  walter: { gender: 'male', age: 'old', voice: 'rms' },
};

/** The presenter when none is chosen. */
export const DEFAULT_AVATAR = 'clara';
