/** What the manifests of the built-in packs do not say of their people. */
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
