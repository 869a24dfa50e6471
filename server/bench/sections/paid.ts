import { chainId, endpoints, headerNames } from '@paid-inference/contract/constants';
import { encodePaymentObject } from '@paid-inference/contract/headers';
import type { PaymentObject } from '@paid-inference/contract/types';
import { type Devnet, startDevnet } from '../../devnet/devnet.ts';
import { temporaryFolder } from '../../faults/folder.ts';
import { type Load, load, postRequest } from '../measure/load.ts';
import { processCpuMs } from '../measure/processor.ts';
import { interleave } from '../measure/rounds.ts';
import { median, spread } from '../measure/statistics.ts';
import type { Target } from '../measure/target.ts';
import type { BenchOptions, Ratio, Report, Row, Section } from '../section.ts';
import { model, startGatewayTarget } from '../targets/gateway.ts';
import { createPaymentSigner, type SignedPayload } from '../targets/payments.ts';
import { installPeers, price, startOfficial } from '../targets/peers.ts';

const path = endpoints.createChatCompletion.path;
const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'ping' }], max_tokens: 16 });
const concurrencies = [1, 32, 64, 256];

/** More payments a second than any target reached. A target that uses up its payments ends its round early. */
const perSecondMost = 1_200;

export const paid: Section = { id: 'b', title: 'Paid requests', run };

type Payee = {
  readonly target: Target;
  /** The header of a payment. */
  readonly header: (payload: SignedPayload) => Record<string, string>;
};
type Slice = { readonly payee: Payee; readonly atOnce: number };
type Figures = Load & { readonly cpuMs: number };

async function run(options: BenchOptions): Promise<Report> {
  const { rounds, seconds, say } = options;
  installPeers(say);
  await using opened = new AsyncDisposableStack();
  const folder = temporaryFolder();
  opened.defer(folder.remove);
  const devnet = await startDevnet({ chainId });
  opened.defer(() => devnet.stop());
  const [ours, official] = await startPayees(devnet, folder.path, opened);
  const sign = await createPaymentSigner(devnet, price);
  const slices = concurrencies.flatMap((atOnce) => [ours, official].map((payee) => ({ payee, atOnce })));
  const measured = await interleave(slices, rounds, async (slice, round) => {
    const figures = await measure(slice, round === 0 ? 1 : seconds, sign);
    const { perSecond, p50Ms } = figures;
    say(
      `round ${round} ${slice.payee.target.name} ${slice.atOnce} at once: ${perSecond.toFixed(0)} payments/s, p50 ${p50Ms.toFixed(1)} ms`,
    );
    return figures;
  });
  const of = (payee: Payee, atOnce: number) =>
    measured.get(slices.find((slice) => slice.payee === payee && slice.atOnce === atOnce) as Slice) ?? [];
  return {
    id: paid.id,
    title: paid.title,
    method:
      'Clients send signed chat requests and wait for the completion with its receipt. Both servers settle on the same devnet, which mines each transaction at once. The model responds at once.',
    rows: slices.map(({ payee, atOnce }) =>
      row(`${payee.target.name}, ${atOnce} at once`, of(payee, atOnce)),
    ),
    ratios: concurrencies.flatMap((atOnce) => compare(atOnce, of(ours, atOnce), of(official, atOnce))),
    charted: 'payments/s',
  };
}

async function startPayees(
  devnet: Devnet,
  folder: string,
  opened: AsyncDisposableStack,
): Promise<readonly [Payee, Payee]> {
  const gateway = await startGatewayTarget({ name: 'gateway', devnet, folder });
  opened.defer(() => gateway.stop());
  const completion = { object: 'chat.completion', choices: [{ message: { content: 'pong' } }] };
  const official = await startOfficial('express', { devnet, completion });
  opened.defer(() => official.stop());
  const accepted = await readAccepted(official.url);
  return [
    {
      target: gateway,
      header: (payload) => ({
        [headerNames.payment]: encodePaymentObject({ payload } as unknown as PaymentObject),
      }),
    },
    {
      target: official,
      header: (payload) => ({
        'PAYMENT-SIGNATURE': Buffer.from(JSON.stringify({ x402Version: 2, ...accepted, payload })).toString(
          'base64',
        ),
      }),
    },
  ];
}

/** The resource and the first option of the official middleware's offer, as its clients send them back. */
async function readAccepted(url: string): Promise<object> {
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(`${url}${path}`, { method: 'POST', headers, body });
  const offer = JSON.parse(
    Buffer.from(response.headers.get('PAYMENT-REQUIRED') ?? '', 'base64').toString(),
  ) as {
    readonly resource: object;
    readonly accepts: readonly object[];
  };
  return { resource: offer.resource, accepted: offer.accepts[0] };
}

async function measure(
  { payee: { target, header }, atOnce }: Slice,
  seconds: number,
  sign: () => SignedPayload,
): Promise<Figures> {
  const url = `${target.url}${path}`;
  const requests = Array.from({ length: perSecondMost * seconds }, () =>
    postRequest(url, body, header(sign())),
  );
  const before = processCpuMs(target.pid) ?? Number.NaN;
  const figures = await load({ url, atOnce, seconds, next: () => requests.pop() ?? null, status: 200 });
  const cpuMs = ((processCpuMs(target.pid) ?? Number.NaN) - before) / figures.requests;
  return { ...figures, cpuMs };
}

function row(name: string, figures: readonly Figures[]): Row {
  return {
    name,
    cells: {
      'payments/s': spread(figures.map(({ perSecond }) => perSecond)),
      'p50 ms': spread(figures.map(({ p50Ms }) => p50Ms)),
      'p99 ms': spread(figures.map(({ p99Ms }) => p99Ms)),
      'CPU ms/payment': spread(figures.map(({ cpuMs }) => cpuMs)),
    },
  };
}

function compare(atOnce: number, ours: readonly Figures[], official: readonly Figures[]): readonly Ratio[] {
  const over = (figure: 'perSecond' | 'p50Ms') =>
    spread(ours.map((each, at) => each[figure] / (official[at]?.[figure] ?? Number.NaN)));
  const least = { 1: 2.5, 32: 8, 64: 8 }[atOnce];
  const name = `gateway / @x402/express, ${atOnce} at once`;
  return [
    {
      name: `${name}: payments/s`,
      value: over('perSecond'),
      ...(least && { goal: { sign: '>=', value: least } }),
    },
    { name: `${name}: p50`, value: over('p50Ms'), ...(atOnce === 1 && { goal: { sign: '<=', value: 0.4 } }) },
    {
      name: `gateway, ${atOnce} at once: p99 / p50`,
      value: spread(ours.map(({ p99Ms }) => p99Ms / median(ours.map(({ p50Ms }) => p50Ms)))),
      goal: { sign: '<=', value: 5 },
    },
  ];
}
