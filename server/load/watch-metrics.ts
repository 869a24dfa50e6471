import { setTimeout as after } from 'node:timers/promises';
import { scrape } from '../testing/metrics.ts';
import { type Reading, readMetrics } from './readings.ts';

export type MetricsWatch = {
  /** Ends the watch with a last reading. */
  stop(): Promise<readonly Reading[]>;
};

/** Reads the metrics of a gateway now and then. A failed scrape leaves a gap, as with Prometheus. */
export function watchMetrics(adminUrl: string, everyMs: number): MetricsWatch {
  const readings: Reading[] = [];
  const stopped = new AbortController();
  const watching = watch();
  return {
    async stop() {
      stopped.abort();
      await watching;
      return readings;
    },
  };

  async function watch(): Promise<void> {
    do {
      const reading = await readNow(adminUrl).catch(() => null);
      if (reading !== null) readings.push(reading);
      await after(everyMs, undefined, { signal: stopped.signal }).catch(() => undefined);
    } while (!stopped.signal.aborted);
    const last = await readNow(adminUrl).catch(() => null);
    if (last !== null) readings.push(last);
  }
}

export async function readNow(adminUrl: string): Promise<Reading> {
  const samples = await scrape(adminUrl);
  return readMetrics(samples, performance.now());
}
