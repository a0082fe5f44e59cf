/** Sample rate requested from every provider, Hz. */
export const CLOUD_RATE = 24_000;
