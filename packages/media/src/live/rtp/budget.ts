import { PACKET_OVERHEAD } from './pacer.js';

/** How the bandwidth of a connection is used. */
export interface Budget {
  /** Bits per second of Opus. */
  readonly soundBits: number;
  /** Earlier packets of sound that each packet repeats (RFC 2198). */
  readonly copies: number;
  /** Bits per second of the pictures' payload. */
  readonly videoBits: number;
}

/** Rates of Opus, the best first: full band, and the least that is still understood without effort. */
export const SOUND_BITS = [40_000, 24_000, 16_000, 12_000] as const;
/** Sound packets per second. */
const SOUND_PACKETS = 50;
/** Share that the sound may take before its rate is lowered. */
const SOUND_SHARE = 1 / 3;
/** The rest of a picture's bits are headers. */
const PAYLOAD_SHARE = 0.9;
/** Above this the sound is always protected: 24 kbit/s are not missed there, and no loss is known before it happens. */
const WIDE_BITS = 250_000;
/** Loss from which sound is repeated once more. */
const LOSSY = 0.02;
/** Least bits of pictures. */
const LEAST_VIDEO_BITS = 40_000;

/** Bandwidth that is needed for the least sound and picture. */
export const LEAST_BITS = LEAST_VIDEO_BITS + wireBits(12_000, 0);

/**
 * Divides `total` bits per second: sound first, pictures get the rest.
 * @param link.loss share of lost packets, 0…1. @param link.repeats the peer reads redundant sound.
 */
export function divide(total: number, link: { readonly loss: number; readonly repeats: boolean }): Budget {
  const { loss, repeats } = link;
  const copies = repeats ? Number(total > WIDE_BITS) + Number(loss > LOSSY) : 0;
  const fits = (bits: number): boolean => wireBits(bits, copies) <= total * SOUND_SHARE;
  const soundBits = SOUND_BITS.find(fits) ?? SOUND_BITS[3];
  const videoBits = Math.max(LEAST_VIDEO_BITS, (total - wireBits(soundBits, copies)) * PAYLOAD_SHARE);
  return { soundBits, copies, videoBits: Math.round(videoBits) };
}

/** Most bits per second that sound takes on the wire. */
export const MOST_SOUND_BITS = wireBits(SOUND_BITS[0], 1);

function wireBits(soundBits: number, copies: number): number {
  return soundBits * (1 + copies) + 8 * PACKET_OVERHEAD * SOUND_PACKETS;
}
