import type { Clock } from '../../types/clock.ts';
import { type UnixSeconds, unixSeconds } from '../../types/units.ts';
import type { Connections } from './connections.ts';

/**
 * The server's time, which every gateway on this store writes and compares: one whose clock is wrong must not end the leases
 * of the others (D-139). Callers name times by their own clock; these turn them into the server's, and back.
 */
export type ServerTime = {
  stamp(): number;
  toServer(seconds: number): number;
  fromServer(seconds: number): UnixSeconds;
  /** Reads the server's clock again: clocks drift. */
  measure(): Promise<void>;
};

/** Readings differ by the time that they take, and by a second for rounding. */
const jitterSeconds = 1;

/** `read` takes the place of the server's clock in tests. */
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
      // A claim is recognised by when its lease ends, so that small differences must not move it.
      if (Math.abs(measured - aheadSeconds) > jitterSeconds) aheadSeconds = measured;
    },
  };
}

async function readServerSeconds({ run }: Pick<Connections, 'run'>): Promise<number> {
  const { rows } = await run('SELECT floor(extract(epoch FROM clock_timestamp()))::bigint AS seconds');
  return Number(rows[0]?.['seconds']);
}
