/** Properties of the built-in presenters that their manifests do not contain. */
export const BUILT_IN_PEOPLE: Readonly<Record<string, { gender: 'male' | 'female'; voice: string }>> = {
  arjun: { gender: 'male', voice: 'rms' },
  ava: { gender: 'female', voice: 'slt' },
  helen: { gender: 'female', voice: 'slt' },
  leo: { gender: 'male', voice: 'rms' },
  marcus: { gender: 'male', voice: 'rms' },
  mei: { gender: 'female', voice: 'slt' },
  nora: { gender: 'female', voice: 'slt' },
  walter: { gender: 'male', voice: 'rms' },
};
