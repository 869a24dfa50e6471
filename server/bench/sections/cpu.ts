import { type ThreadCpu, threadCpu } from '../measure/processor.ts';
import { spread } from '../measure/statistics.ts';
import type { Delay, Target } from '../measure/target.ts';
import type { BenchOptions, Report, Row, Section } from '../section.ts';
import { addRound, createDevnetRounds, type Measurements } from '../targets/devnet-rounds.ts';
import { loadFor, loadPaid, type Payee, warmUp } from '../targets/paid-load.ts';
import { startGatewayPayee, startOfficialPayee } from '../targets/payees.ts';
import { createPaymentSigner } from '../targets/payments.ts';
import { installPeers, officialName } from '../targets/peers.ts';
import type { Setup } from '../targets/setup.ts';

const atOnce = 32;

export const cpu: Section = { id: 'h', title: 'Processor time of a payment', run };

/** Processor time in milliseconds for a payment, and the delay of the event loop. */
type Figures = ThreadCpu & { readonly delay: Delay };

async function run(options: BenchOptions): Promise<Report> {
  installPeers(options.say);
  const measured = new Map<string, Figures[]>();
  const devnetRounds = createDevnetRounds(options);
  for (let round = 1; round <= options.rounds; round++) {
    const start = (setup: Setup) => startServers(round, setup, options);
    addRound(measured, await devnetRounds.measure(round, start));
  }
  const of = (name: string) => measured.get(name) ?? [];
  const [ours, official] = [of('gateway'), of(officialName('express'))];
  return {
    id: cpu.id,
    title: cpu.title,
    method: `${atOnce} payments at once. Each round has a new devnet and new servers. Processor time by thread for a payment: the main thread, the threads of workers (in the gateway: the store), and all other threads of Node. The delay is how late the event loop is.${devnetRounds.describeFailures()}`,
    rows: [...measured].map(([name, figures]) => row(name, figures)),
    ratios: [
      {
        name: 'gateway: main thread, ms for a payment',
        value: spread(ours.map(({ main }) => main)),
        goal: { sign: '<=', value: 0.6 },
      },
      {
        name: 'gateway / @x402/express: main thread',
        value: spread(ours.map(({ main }, at) => main / (official[at]?.main ?? Number.NaN))),
      },
      {
        name: 'gateway / @x402/express: all threads',
        value: spread(ours.map((each, at) => total(each) / total(official[at]))),
      },
    ],
    chart: { bars: 'main thread ms/payment' },
  };
}

async function startServers(
  round: number,
  setup: Setup,
  { seconds, say }: BenchOptions,
): Promise<Measurements<Figures>> {
  const isProbed = true;
  const payees = [
    await startGatewayPayee(setup, { isProbed }),
    await startOfficialPayee(setup, { isProbed }),
  ];
  const sign = await createPaymentSigner(setup.devnet);
  for (const payee of payees) await loadPaid(payee, sign, warmUp);
  return new Map(payees.map((payee) => [payee.name, () => measurePayee(payee)]));

  async function measurePayee(payee: Payee): Promise<Figures> {
    const target = payee.targets[0] as Target;
    const figures = await measure(
      target,
      async () => (await loadFor(payee, sign, { atOnce, seconds })).requests,
    );
    say(`round ${round} ${payee.name}: main thread ${figures.main.toFixed(2)} ms a payment`);
    return figures;
  }
}

/** Runs the load between two readings. The first reading starts the measurement of the delay. */
async function measure(target: Target, load: () => Promise<number>): Promise<Figures> {
  const before = threadCpu(target.pid);
  await target.readDelay();
  const requests = await load();
  const delay = await target.readDelay();
  const after = threadCpu(target.pid);
  const each = (thread: keyof ThreadCpu) =>
    ((after?.[thread] ?? Number.NaN) - (before?.[thread] ?? Number.NaN)) / requests;
  return { main: each('main'), workers: each('workers'), others: each('others'), delay };
}

function total(figures: Figures | undefined): number {
  return figures === undefined ? Number.NaN : figures.main + figures.workers + figures.others;
}

function row(name: string, figures: readonly Figures[]): Row {
  return {
    name,
    cells: {
      'main thread ms/payment': spread(figures.map(({ main }) => main)),
      'workers ms/payment': spread(figures.map(({ workers }) => workers)),
      'other threads ms/payment': spread(figures.map(({ others }) => others)),
      'loop delay p50 ms': spread(figures.map(({ delay }) => delay.p50Ms)),
      'loop delay p99 ms': spread(figures.map(({ delay }) => delay.p99Ms)),
    },
  };
}
