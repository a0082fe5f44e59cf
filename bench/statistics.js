/** Figures of a list of measurements. */
export function quantile(/** @type {readonly number[]} */ values, /** @type {number} */ share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

export const median = (/** @type {readonly number[]} */ values) => quantile(values, 0.5);

export const sum = (/** @type {readonly number[]} */ values) => values.reduce((total, value) => total + value, 0);

export const mean = (/** @type {readonly number[]} */ values) => sum(values) / values.length;
