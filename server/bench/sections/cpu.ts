import { type ThreadCpu, threadCpu } from '../measure/processor.ts';
import { interleave } from '../measure/rounds.ts';
import { spread } from '../measure/statistics.ts';
import type { Delay, Target } from '../measure/target.ts';
import type { BenchOptions, Report, Row, Section } from '../section.ts';
import { loadPaid, type Payee } from '../targets/paid-load.ts';
import { startGatewayPayee, startOfficialPayee } from '../targets/payees.ts';
import { createPaymentSigner } from '../targets/payments.ts';
import { installPeers } from '../targets/peers.ts';
import { openSetup } from '../targets/setup.ts';

const atOnce = 32;
/** More than any target reached. */
const perSecondMost = 1_200;

export const cpu: Section = { id: 'h', title: 'Processor time of a payment', run };

/** Processor time in milliseconds for a payment, and the delay of the event loop. */
type Figures = ThreadCpu & { readonly delay: Delay };

async function run({ rounds, seconds, say }: BenchOptions): Promise<Report> {
  installPeers(say);
  await using setup = await openSetup();
  const isProbed = true;
  const ours = await startGatewayPayee(setup, { isProbed });
  const official = await startOfficialPayee(setup, { isProbed });
  const sign = await createPaymentSigner(setup.devnet);
  const payees = [ours, official];
  const measured = await interleave(payees, rounds, async (payee, round) => {
    const target = payee.targets[0] as Target;
    const figures = await measure(target, async () => {
      const payments = perSecondMost * seconds;
      return (await loadPaid(payee, sign, { atOnce, payments, seconds })).requests;
    });
    say(`round ${round} ${payee.name}: main thread ${figures.main.toFixed(2)} ms a payment`);
    return figures;
  });
  const of = (payee: Payee) => measured.get(payee) ?? [];
  return {
    id: cpu.id,
    title: cpu.title,
    method: `${atOnce} payments at once. Processor time by thread for a payment: the main thread, the threads of workers (in the gateway: the store), and all other threads of Node. The delay is how late the event loop is.`,
    rows: payees.map((payee) => row(payee.name, of(payee))),
    ratios: [
      {
        name: 'gateway: main thread, ms for a payment',
        value: spread(of(ours).map(({ main }) => main)),
        goal: { sign: '<=', value: 0.6 },
      },
      {
        name: 'gateway / @x402/express: main thread',
        value: spread(of(ours).map(({ main }, at) => main / (of(official)[at]?.main ?? Number.NaN))),
      },
      {
        name: 'gateway / @x402/express: all threads',
        value: spread(of(ours).map((each, at) => total(each) / total(of(official)[at]))),
      },
    ],
    chart: { bars: 'main thread ms/payment' },
  };
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
