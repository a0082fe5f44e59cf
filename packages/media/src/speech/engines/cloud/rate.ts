/** Samples a second that are asked of every provider. */
export const CLOUD_RATE = 24_000;
