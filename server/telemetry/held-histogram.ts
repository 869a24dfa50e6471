import type { Histogram, Registry } from 'prom-client';

type Definition = { readonly name: string; readonly help: string; readonly buckets: readonly number[] };
type Labels = Readonly<Record<string, string | number>>;
/** Counts for each bucket and one for greater values, not cumulative. */
type Series = { readonly labels: Labels; readonly counts: number[]; sum: number };

/** A histogram whose series its caller holds. */
export type HeldHistogram<Label extends string> = {
  /** Makes a series. The caller keeps the function, which adds one value. */
  series(labels: Readonly<Record<Label, string | number>>): (value: number) => void;
};

/**
 * A histogram in a registry of prom-client, for the path of every request (D-300). prom-client would find the series of
 * each value by a text of all its labels.
 */
export function createHeldHistogram(
  { name, help, buckets }: Definition,
  registry: Registry,
): HeldHistogram<string> {
  const all: Series[] = [];
  const metric = {
    name,
    help,
    get: async () => ({
      name,
      help,
      type: 'histogram',
      aggregator: 'sum',
      values: all.flatMap((series) => listValues(name, buckets, series)),
    }),
  };
  // The registry only reads the values.
  registry.registerMetric(metric as unknown as Histogram);
  return {
    series(labels) {
      const series: Series = { labels, counts: Array.from({ length: buckets.length + 1 }, () => 0), sum: 0 };
      all.push(series);
      return (value) => {
        let at = 0;
        while (at < buckets.length && value > (buckets[at] ?? 0)) at += 1;
        series.counts[at] = (series.counts[at] ?? 0) + 1;
        series.sum += value;
      };
    },
  };
}

function listValues(name: string, buckets: readonly number[], { labels, counts, sum }: Series) {
  let count = 0;
  const values = [...buckets, '+Inf'].map((le, at) => {
    count += counts[at] ?? 0;
    return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: count };
  });
  return [
    ...values,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
