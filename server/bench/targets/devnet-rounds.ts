import type { BenchOptions } from '../section.ts';
import { LoadFailed } from './paid-load.ts';
import { officialName } from './peers.ts';
import { openSetup, type Setup } from './setup.ts';

/** After this many failures in one section, the peer cannot be measured. */
const peerFailuresMax = 10;

/** The measurements of one round by name. Each can run once, in any order. */
export type Measurements<Figures> = ReadonlyMap<string, () => Promise<Figures>>;

/** Rounds that each have a new devnet and new servers, so that all rounds begin with the same state. */
export type DevnetRounds = {
  /**
   * Opens a devnet, starts the servers and measures them in turn. Each round begins with another server. If the
   * official middleware stops responding, the round is measured again. A failure of the gateway throws.
   */
  measure<Figures>(
    round: number,
    start: (setup: Setup) => Promise<Measurements<Figures>>,
  ): Promise<ReadonlyMap<string, Figures>>;
  /** A sentence on the repeated rounds for the method of a report. Empty if there were none. */
  describeFailures(): string;
};

export function createDevnetRounds({ say }: Pick<BenchOptions, 'say'>): DevnetRounds {
  let failures = 0;
  const rounds: DevnetRounds = {
    async measure(round, start) {
      try {
        return await measureOnce(round, start);
      } catch (cause) {
        const isPeer = cause instanceof LoadFailed && cause.payee.startsWith(officialName('express'));
        if (!isPeer || failures >= peerFailuresMax) throw cause;
        failures += 1;
        say(`round ${round}: ${cause.payee} stopped responding, so the round is measured again`);
        return rounds.measure(round, start);
      }
    },
    describeFailures: () =>
      failures === 0
        ? ''
        : ` ${officialName('express')} stopped responding ${failures} times. These measurements were repeated.`,
  };
  return rounds;
}

async function measureOnce<Figures>(
  round: number,
  start: (setup: Setup) => Promise<Measurements<Figures>>,
): Promise<ReadonlyMap<string, Figures>> {
  await using setup = await openSetup();
  const turns = [...(await start(setup))];
  const first = round % turns.length;
  const measured = new Map<string, Figures>();
  for (const [name, measure] of [...turns.slice(first), ...turns.slice(0, first)])
    measured.set(name, await measure());
  return new Map(turns.map(([name]) => [name, measured.get(name) as Figures]));
}

/** Adds the figures of a round to those of earlier rounds. */
export function addRound<Figures>(all: Map<string, Figures[]>, round: ReadonlyMap<string, Figures>): void {
  for (const [name, figures] of round) all.set(name, [...(all.get(name) ?? []), figures]);
}
