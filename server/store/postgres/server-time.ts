import type { Clock } from '../../types/clock.ts';
import { type UnixSeconds, unixSeconds } from '../../types/units.ts';
import type { Connections } from './connections.ts';

/**
 * The server's time. Every gateway on the store writes and compares it, so that a gateway with a wrong clock
 * ends no lease of another (D-139). Callers pass times of their own clock; these functions convert them to the
 * server's and back.
 */
export type ServerTime = {
  stamp(): number;
  toServer(seconds: number): number;
  fromServer(seconds: number): UnixSeconds;
  /** Reads the server's clock again: clocks drift. */
  measure(): Promise<void>;
};

/** Two measurements differ by the time that each takes, and by a second for rounding. */
const jitterSeconds = 1;

/** Measures the server's clock first. `read` replaces the server's clock in tests. */
export async function openServerTime(
  clock: Clock,
  connections: Pick<Connections, 'run'>,
  read: () => Promise<number> = () => readServerSeconds(connections),
): Promise<ServerTime> {
  let aheadSeconds = (await read()) - clock.steadySeconds();
  return {
    stamp: () => clock.steadySeconds() + aheadSeconds,
    toServer: (seconds) => seconds + aheadSeconds,
    fromServer: (seconds) => unixSeconds(Math.max(0, seconds - aheadSeconds)),
    async measure() {
      const measured = (await read()) - clock.steadySeconds();
      // The end of a lease identifies a claim, so small differences must not move it.
      if (Math.abs(measured - aheadSeconds) > jitterSeconds) aheadSeconds = measured;
    },
  };
}

async function readServerSeconds({ run }: Pick<Connections, 'run'>): Promise<number> {
  const { rows } = await run('SELECT floor(extract(epoch FROM clock_timestamp()))::bigint AS seconds');
  return Number(rows[0]?.['seconds']);
}
