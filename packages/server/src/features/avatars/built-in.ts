import type { Avatar } from '@figurehead/contract';

interface Person {
  readonly gender: 'male' | 'female';
  readonly age: NonNullable<Avatar['age']>;
  readonly voice: string;
}

/** Properties of the built-in presenters that their manifests do not contain. */
export const BUILT_IN_PEOPLE: Readonly<Record<string, Person>> = {
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
