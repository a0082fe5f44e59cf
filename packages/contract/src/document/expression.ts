/** Expressions of a presenter. */
export const EXPRESSIONS = {
  neutral: { label: 'Neutral' },
  friendly: { label: 'Friendly' },
  serious: { label: 'Serious' },
  excited: { label: 'Excited' },
} as const;
export type Expression = keyof typeof EXPRESSIONS;
