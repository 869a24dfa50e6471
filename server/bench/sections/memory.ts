import { setTimeout as wait } from 'node:timers/promises';
import { residentMB } from '../measure/processor.ts';
import { interleave } from '../measure/rounds.ts';
import { spread } from '../measure/statistics.ts';
import type { Target } from '../measure/target.ts';
import type { BenchOptions, Report, Section } from '../section.ts';
import { startGatewayTarget } from '../targets/gateway.ts';
import { installPeers, startOfficial } from '../targets/peers.ts';
import { openSetup } from '../targets/setup.ts';
import { type SoakSlice, soakOnce } from '../targets/soak.ts';

export const memory: Section = { id: 'g', title: 'Start and memory', run };

type Server = { readonly name: string; readonly start: (round: number) => Promise<Target> };
type Started = { readonly readyMs: number; readonly memoryMB: number };

async function run(options: BenchOptions): Promise<Report> {
  const [ours, official] = await measureStarts(options);
  const slices = await soakOnce(options);
  const last = slices.at(-1) as SoakSlice;
  const early = slices.find(({ paymentsSoFar }) => paymentsSoFar * 10 >= last.paymentsSoFar) as SoakSlice;
  const idle = (name: string, started: readonly Started[]) => ({
    name: `${name}, idle`,
    cells: {
      'memory MB': spread(started.map(({ memoryMB }) => memoryMB)),
      'start to ready ms': spread(started.map(({ readyMs }) => readyMs)),
    },
  });
  const over = (figure: keyof Started) =>
    spread(ours.map((each, at) => each[figure] / (official[at]?.[figure] ?? Number.NaN)));
  return {
    id: memory.id,
    title: memory.title,
    method: `Each start has a new store. Memory is the resident set: ${idleSeconds(options)} seconds after a start without a request, and in the soak (section i) after a tenth of the payments and after all. The slice that contains the tenth counts.`,
    rows: [
      idle('gateway', ours),
      idle('@x402/express', official),
      ...[early, last].map(({ paymentsSoFar, memoryMB }) => ({
        name: `gateway, after ${paymentsSoFar} payments`,
        cells: { 'memory MB': spread([memoryMB]) },
      })),
    ],
    ratios: [
      {
        name: 'gateway, idle: memory in MB',
        value: spread(ours.map(({ memoryMB }) => memoryMB)),
        goal: { sign: '<=', value: 150 },
      },
      {
        name: `gateway, after ${last.paymentsSoFar} / after ${early.paymentsSoFar} payments: memory`,
        value: spread([last.memoryMB / early.memoryMB]),
        goal: { sign: '<=', value: 1.05 },
      },
      { name: 'gateway / @x402/express, idle: memory', value: over('memoryMB') },
      { name: 'gateway / @x402/express: start to ready', value: over('readyMs') },
    ],
    chart: { bars: 'memory MB' },
  };
}

async function measureStarts(
  options: BenchOptions,
): Promise<readonly [readonly Started[], readonly Started[]]> {
  installPeers(options.say);
  await using setup = await openSetup();
  const ours: Server = {
    name: 'gateway',
    start: (round) => startGatewayTarget({ ...setup, name: `gateway-${round}` }),
  };
  const official: Server = { name: '@x402/express', start: () => startOfficial('express', setup) };
  const measured = await interleave([ours, official], options.rounds, async ({ name, start }, round) => {
    const target = await start(round);
    try {
      await wait(idleSeconds(options) * 1_000);
      const started = { readyMs: target.readyMs, memoryMB: residentMB(target.pid) ?? Number.NaN };
      options.say(
        `round ${round} ${name}: ready after ${started.readyMs.toFixed(0)} ms, ${started.memoryMB.toFixed(0)} MB`,
      );
      return started;
    } finally {
      await target.stop();
    }
  });
  return [measured.get(ours) ?? [], measured.get(official) ?? []];
}

function idleSeconds({ quick }: BenchOptions): number {
  return quick ? 2 : 10;
}
