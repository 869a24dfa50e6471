import { setTimeout as wait } from 'node:timers/promises';
import type { HttpRpc } from '../../chain/http-rpc.ts';
import type { ReceiptLog } from '../../chain/token-logs.ts';
import type { Address, Bytes32 } from '../../types/units.ts';
import { interleave } from '../measure/rounds.ts';
import { spread } from '../measure/statistics.ts';
import type { BenchOptions, Ratio, Report, Section } from '../section.ts';
import { openRpc, startMining } from '../targets/mining.ts';
import { createPaymentSigner } from '../targets/payments.ts';
import { openSettlerTarget } from '../targets/settler.ts';
import { openSetup } from '../targets/setup.ts';

const blockTimesMs = [0, 200, 2_000];
const batchSizes = [1, 10, 100];
const relayerCounts = [1, 2, 3, 4];
/** Least payments at once. */
const atOnceLeast = 64;
/** More payments a second than were ever settled. */
const perSecondMost = 6_000;

export const settlement: Section = { id: 'e', title: 'Settlement', run };

type Slice = {
  /** Pause between blocks; 0 where each transaction is mined at once. */
  readonly blockTimeMs: number;
  readonly batchMax: number;
  readonly relayers: number;
};
type Figures = {
  readonly perSecond: number;
  readonly perTransaction: number;
  readonly gasPerPayment: number;
};
async function run({ rounds, seconds, quick, say }: BenchOptions): Promise<Report> {
  const slices = listSlices(quick);
  const measured = await interleave(slices, rounds, async (slice, round) => {
    const figures = await measure(slice, round === 0 ? 0.5 : seconds);
    say(`round ${round} ${describe(slice)}: ${figures.perSecond.toFixed(0)} payments/s`);
    return figures;
  });
  return report(slices, (slice) => measured.get(slice) ?? []);
}

/** All batch sizes with one relayer, and all numbers of relayers with batches of 10. */
function listSlices(quick: boolean): readonly Slice[] {
  const [blockTimes, counts] = quick ? [blockTimesMs.slice(0, 2), [1, 4]] : [blockTimesMs, relayerCounts];
  return blockTimes.flatMap((blockTimeMs) => [
    ...batchSizes.map((batchMax) => ({ blockTimeMs, batchMax, relayers: 1 })),
    ...counts.slice(1).map((relayers) => ({ blockTimeMs, batchMax: 10, relayers })),
  ]);
}

function describe({ blockTimeMs, batchMax, relayers }: Slice): string {
  const blocks = blockTimeMs === 0 ? 'blocks at once' : `a block every ${blockTimeMs} ms`;
  return `gateway, ${blocks}, batches of ${batchMax}, ${relayers} relayer${relayers === 1 ? '' : 's'}`;
}

/** Measures on a new devnet, so that all measurements begin with the same state. */
async function measure(slice: Slice, seconds: number): Promise<Figures> {
  const { blockTimeMs, batchMax, relayers } = slice;
  await using setup = await openSetup();
  const { devnet } = setup;
  await using rpc = openRpc(devnet.rpcUrl);
  const sign = await createPaymentSigner(devnet);
  const { leadMs, timeMs } = planTimes(blockTimeMs, seconds * 1_000);
  const atOnce = Math.max(atOnceLeast, 2 * batchMax * relayers);
  const payments = Math.ceil((perSecondMost * (leadMs + timeMs)) / 1_000) + atOnce;
  const payloads = Array.from({ length: payments }, sign);
  await using _mining = await startMining(rpc, blockTimeMs);
  await using target = await openSettlerTarget({ ...setup, rpc, name: 'store', relayers, batchMax });
  const hashes: Bytes32[] = [];
  let isOver = false;
  const loops = Promise.all(Array.from({ length: atOnce }, settleNext));
  try {
    await Promise.race([wait(leadMs), loops]);
    const [before, startedAt] = [hashes.length, performance.now()];
    // A settler that uses up its payments ends the measurement early.
    await Promise.race([wait(timeMs), loops]);
    const perSecond = ((hashes.length - before) / (performance.now() - startedAt)) * 1_000;
    return { perSecond, ...(await readCosts(rpc, new Set(hashes), devnet.token.address)) };
  } finally {
    isOver = true;
  }

  async function settleNext(): Promise<void> {
    for (let next = payloads.pop(); next !== undefined && !isOver; next = payloads.pop()) {
      const settled = await target.settle(next);
      if (isOver) return;
      if (settled.state !== 'settled') throw new Error(`The payment was not settled but ${settled.state}.`);
      hashes.push(settled.txHash);
    }
  }
}

/** The measurement starts after two blocks, lasts whole blocks, and starts and ends in the middle of two blocks. */
function planTimes(
  blockTimeMs: number,
  atLeastMs: number,
): { readonly leadMs: number; readonly timeMs: number } {
  if (blockTimeMs === 0) return { leadMs: 300, timeMs: atLeastMs };
  return {
    leadMs: 2.5 * blockTimeMs,
    timeMs: blockTimeMs * Math.max(2, Math.round(atLeastMs / blockTimeMs)),
  };
}

/** Each payment of a transaction has one log of the token with a value. */
async function readCosts(
  rpc: HttpRpc,
  hashes: ReadonlySet<Bytes32>,
  token: Address,
): Promise<Omit<Figures, 'perSecond'>> {
  let [payments, gas] = [0, 0];
  for (const hash of hashes) {
    const receipt = await rpc.call<{ gasUsed: string; logs: readonly ReceiptLog[] }>(
      'eth_getTransactionReceipt',
      [hash],
    );
    if (!receipt.ok) throw new Error(receipt.fault.message);
    const { gasUsed, logs } = receipt.value;
    gas += Number(gasUsed);
    payments += logs.filter(({ address, data }) => address.toLowerCase() === token && data !== '0x').length;
  }
  return { perTransaction: payments / hashes.size, gasPerPayment: gas / payments };
}

function report(slices: readonly Slice[], of: (slice: Slice) => readonly Figures[]): Report {
  const find = (wanted: Slice) => of(slices.find((slice) => describe(slice) === describe(wanted)) as Slice);
  const compare = (name: string, one: Slice, other: Slice, figure: keyof Figures): Ratio => ({
    name,
    value: spread(find(one).map((each, at) => each[figure] / (find(other)[at]?.[figure] ?? Number.NaN))),
  });
  const [single, batched] = [1, 100].map((batchMax) => ({ blockTimeMs: 0, batchMax, relayers: 1 })) as [
    Slice,
    Slice,
  ];
  const shared = slices.filter(({ relayers }) => relayers > 1);
  return {
    id: settlement.id,
    title: settlement.title,
    method:
      'Payments go to the settler and its SQLite store in the process of the benchmark, without HTTP and inference. There are always at least twice as many payments as the next transactions hold, and at least 64.',
    rows: slices.map((slice) => ({
      name: describe(slice),
      cells: {
        'payments/s': spread(of(slice).map(({ perSecond }) => perSecond)),
        'payments/transaction': spread(of(slice).map(({ perTransaction }) => perTransaction)),
        'gas/payment': spread(of(slice).map(({ gasPerPayment }) => gasPerPayment)),
      },
    })),
    ratios: [
      compare('batches of 100 / of 1, blocks at once: payments/s', batched, single, 'perSecond'),
      compare('batches of 100 / of 1, blocks at once: gas', batched, single, 'gasPerPayment'),
      ...shared.map((slice) =>
        compare(`${describe(slice)} / 1 relayer: payments/s`, slice, { ...slice, relayers: 1 }, 'perSecond'),
      ),
    ],
    chart: { bars: 'payments/s' },
  };
}
