import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { definitions, type LabelsOf, type MetricName } from './definitions.ts';
import { createHeldHistogram, type HeldHistogram } from './held-histogram.ts';

type InstrumentOf<Name extends MetricName> = {
  readonly counter: Counter<LabelsOf<Name>>;
  readonly gauge: Gauge<LabelsOf<Name>>;
  readonly histogram: Histogram<LabelsOf<Name>>;
  readonly 'held histogram': HeldHistogram<LabelsOf<Name>>;
}[(typeof definitions)[Name]['type']];

/** One instrument for each metric, by its name. */
export type Instruments = { readonly [Name in MetricName]: InstrumentOf<Name> };

/** The names of the gauges. */
export type GaugeName = {
  [Name in MetricName]: (typeof definitions)[Name]['type'] extends 'gauge' ? Name : never;
}[MetricName];

/** Creates the instruments. Each gateway of a process has its own registry. */
export function createInstruments(registry: Registry): Instruments {
  const entries = Object.entries(definitions).map(([name, definition]) => {
    const { help, labels } = definition;
    const common = { name, help, labelNames: [...labels], registers: [registry] };
    if (definition.type === 'counter') return [name, new Counter(common)];
    if (definition.type === 'gauge') return [name, new Gauge(common)];
    const { buckets } = definition;
    if (definition.type === 'held histogram')
      return [name, createHeldHistogram({ name, help, buckets }, registry)];
    return [name, new Histogram({ ...common, buckets: [...buckets] })];
  });
  return Object.fromEntries(entries) as Instruments;
}

/** Removes the values of gauges. A value that could not be read must not look current. */
export function clearGauges(instruments: Instruments, names: readonly GaugeName[]): void {
  for (const name of names) {
    const gauge = instruments[name] as Gauge;
    // `reset` would set a gauge without labels to zero.
    if (definitions[name].labels.length === 0) gauge.remove();
    else gauge.reset();
  }
}
