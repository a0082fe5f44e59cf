/** How much of a presenter is shown. */
export const FRAMINGS = {
  auto: { label: 'Automatic' },
  head: { label: 'Head' },
  bust: { label: 'Head and shoulders' },
  waist: { label: 'Down to the waist' },
} as const;
/** `auto`: what the variant of the avatar's code shows, otherwise `bust`. */
export type Framing = keyof typeof FRAMINGS;
