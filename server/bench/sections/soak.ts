import { spread } from '../measure/statistics.ts';
import type { BenchOptions, Report, Section } from '../section.ts';
import { type SoakSlice, soakAtOnce, soakOnce } from '../targets/soak.ts';

export const soak: Section = { id: 'i', title: 'Soak', run };

async function run(options: BenchOptions): Promise<Report> {
  const slices = await soakOnce(options);
  const [first, last] = [slices[0], slices.at(-1)];
  const rate = (slice: SoakSlice | undefined) => slice?.perSecond ?? Number.NaN;
  return {
    id: soak.id,
    title: soak.title,
    method: `${last?.paymentsSoFar} payments, ${soakAtOnce} at once, to one process with one store. Each row is a slice of these payments. Memory is the resident set at the end of the slice. The devnet calculates no state root, so its blocks do not slow down as the state grows. The table shows how long an empty block takes.`,
    rows: slices.map(({ paymentsSoFar, perSecond, p50Ms, p99Ms, memoryMB, cpuMs, emptyBlockMs }) => ({
      name: `${paymentsSoFar} payments`,
      cells: {
        'payments/s': spread([perSecond]),
        'p50 ms': spread([p50Ms]),
        'p99 ms': spread([p99Ms]),
        'memory MB': spread([memoryMB]),
        'CPU ms/payment': spread([cpuMs]),
        'empty block ms': spread([emptyBlockMs]),
      },
    })),
    ratios: [
      {
        name: 'gateway, last slice / first slice: payments/s',
        value: spread([rate(last) / rate(first)]),
        goal: { sign: '>=', value: 0.9 },
      },
      {
        name: 'gateway, last slice / first slice: CPU of a payment',
        value: spread([(last?.cpuMs ?? Number.NaN) / (first?.cpuMs ?? Number.NaN)]),
      },
      {
        name: 'gateway, worst slice: p99 / p50',
        value: spread([Math.max(...slices.map(({ p50Ms, p99Ms }) => p99Ms / p50Ms))]),
        goal: { sign: '<=', value: 5 },
      },
    ],
    chart: { lines: ['payments/s', 'p50 ms', 'p99 ms', 'memory MB', 'CPU ms/payment', 'empty block ms'] },
  };
}
