import { openStream } from '../../testing/open-stream.ts';
import { interleave } from '../measure/rounds.ts';
import { spread } from '../measure/statistics.ts';
import type { BenchOptions, Ratio, Report, Section } from '../section.ts';
import { chat } from '../targets/gateway.ts';
import { openRpc, startMining } from '../targets/mining.ts';
import { contractHeader } from '../targets/paid-load.ts';
import { startGatewayPayee } from '../targets/payees.ts';
import { createPaymentSigner, type SignedPayload } from '../targets/payments.ts';
import { openSetup } from '../targets/setup.ts';
import { startSlowWriter } from '../targets/slow-writer.ts';

export const streams: Section = { id: 'j', title: 'Streams', run };

const blockTimesMs = [0, 200, 2_000];
const writesMs = 2_000;

type Figures = { readonly firstTextMs: number; readonly totalMs: number };
type Form = 'stream' | 'whole';

async function run({ rounds, say }: BenchOptions): Promise<Report> {
  await using model = await startSlowWriter(writesMs);
  await using setup = await openSetup();
  const { targets } = await startGatewayPayee(setup, { upstream: model.url });
  const url = `${targets[0]?.url}${chat.path}`;
  const sign = await createPaymentSigner(setup.devnet);
  await using rpc = openRpc(setup.devnet.rpcUrl);
  const measured = new Map<number, ReadonlyMap<Form, readonly Figures[]>>();
  for (const blockTimeMs of blockTimesMs) {
    await using _mining = await startMining(rpc, blockTimeMs);
    // The warm-up is also the first stream of the engine, which sends no text early (D-272).
    const figures = await interleave<Form, Figures>(['stream', 'whole'], rounds, async (form, round) => {
      const result = await buy(url, form, sign());
      say(
        `round ${round} ${describe(form, blockTimeMs)}: first text after ${result.firstTextMs.toFixed(0)} ms`,
      );
      return result;
    });
    measured.set(blockTimeMs, figures);
  }
  return report(measured);
}

/** Buys one completion, alone. Without a stream, the first text is the whole one. */
async function buy(url: string, form: Form, payload: SignedPayload): Promise<Figures> {
  const headers = { 'Content-Type': 'application/json', ...contractHeader(payload) };
  const startedAt = performance.now();
  const since = () => performance.now() - startedAt;
  if (form === 'whole') {
    const response = await fetch(url, { method: 'POST', headers, body: chat.body });
    await response.json();
    if (response.status !== 200) throw new Error(`The gateway responded ${response.status} instead of 200.`);
    return { firstTextMs: since(), totalMs: since() };
  }
  const stream = await openStream(url, JSON.parse(chat.body) as object, headers);
  if (stream.status !== 200) throw new Error(`The gateway responded ${stream.status} instead of 200.`);
  while (stream.text() === '') if ((await stream.next()) === null) throw new Error('The stream has no text.');
  const firstTextMs = since();
  await stream.rest();
  return { firstTextMs, totalMs: since() };
}

function report(measured: ReadonlyMap<number, ReadonlyMap<Form, readonly Figures[]>>): Report {
  const list = (blockTimeMs: number, form: Form) => measured.get(blockTimeMs)?.get(form) ?? [];
  const compare = (blockTimeMs: number, figure: keyof Figures): Ratio => ({
    name: `gateway, ${describeBlocks(blockTimeMs)}, stream / whole: ${figure === 'totalMs' ? 'total' : 'first text'}`,
    value: spread(
      list(blockTimeMs, 'stream').map(
        (figures, at) => figures[figure] / (list(blockTimeMs, 'whole')[at]?.[figure] ?? Number.NaN),
      ),
    ),
  });
  return {
    id: streams.id,
    title: streams.title,
    method: `One request at a time, to a fake upstream that writes each completion in ${writesMs} ms, word by word. The settlement of a stream begins with its first word. Without a stream, the first text is the whole response.`,
    rows: [...measured].flatMap(([blockTimeMs, figures]) =>
      [...figures].map(([form, all]) => ({
        name: describe(form, blockTimeMs),
        cells: {
          'first text ms': spread(all.map(({ firstTextMs }) => firstTextMs)),
          'total ms': spread(all.map(({ totalMs }) => totalMs)),
        },
      })),
    ),
    ratios: blockTimesMs.flatMap((blockTimeMs) => [
      compare(blockTimeMs, 'firstTextMs'),
      compare(blockTimeMs, 'totalMs'),
    ]),
    chart: { bars: 'first text ms' },
  };
}

function describe(form: Form, blockTimeMs: number): string {
  return `gateway, ${describeBlocks(blockTimeMs)}, ${form}`;
}

function describeBlocks(blockTimeMs: number): string {
  return blockTimeMs === 0 ? 'blocks at once' : `a block every ${blockTimeMs} ms`;
}
