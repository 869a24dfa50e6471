/** The median of some figures; NaN for none. */
export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** The figure below which this share of the figures lies; NaN for none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = (sorted.length - 1) * share;
  const [low, high] = [sorted[Math.floor(middle)], sorted[Math.ceil(middle)]];
  if (low === undefined || high === undefined) return Number.NaN;
  return low + (high - low) * (middle - Math.floor(middle));
}

/** Median, least and greatest figure. */
export type Spread = { readonly median: number; readonly least: number; readonly most: number };

export function spread(values: readonly number[]): Spread {
  return { median: median(values), least: Math.min(...values), most: Math.max(...values) };
}
