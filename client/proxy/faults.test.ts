import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readKey } from '../cli/key.ts';
import { type GatewayProcess, startGatewayProcess } from '../demo/gateway-process.ts';
import { openJournal } from '../payment/file-journal.ts';
import { type FaultProxy, type Strike, startFaultProxy } from '../testing/fault-proxy.ts';
import { openSettledPayments, type SettledPayments } from '../testing/settled.ts';
import { startProxy } from './proxy.ts';

const moments = {
  before: 'before the gateway',
  during: 'during the settlement',
  after: 'after the response',
};

/** A row of the table: what happens to the first payment of a purchase. */
type Row = { readonly name: string; readonly strike: Strike | null; readonly isChainStopped: boolean };
const rows: readonly Row[] = [
  { name: 'none', strike: null, isChainStopped: false },
  { name: '`settlement_pending`', strike: null, isChainStopped: true },
  ...(['503', '500', 'timeout', 'reset'] as const).flatMap((fault) =>
    (['before', 'during', 'after'] as const).map((moment) => ({
      name: `${fault} ${moments[moment]}`,
      strike: { fault, moment },
      isChainStopped: moment === 'during',
    })),
  ),
];
const forms = [
  { form: 'whole', isStreamed: false },
  { form: 'stream', isStreamed: true },
];

/** After an error of the SDK, a tool makes the same call again, at most this often in all. */
const callsMax = 3;
const settlementWaitMs = 3_000;
/** The timeout of one request of the proxy to the gateway. */
const timeoutMs = 5_000;
const accessToken = 'the-token-of-the-tests';

type Purchase = {
  readonly between: FaultProxy;
  /** The number of completions that the tool got. */
  readonly completions: Promise<number>;
  close(): Promise<void>;
};

let gateway: GatewayProcess;
let settled: SettledPayments;
const folder = mkdtempSync(join(tmpdir(), 'paid-inference-proxy-'));
const measured = new Map<string, string>();

beforeAll(async () => {
  gateway = await startGatewayProcess(new AbortController().signal, { settlementWaitMs });
  settled = openSettledPayments(gateway.ready.chain.rpcUrl, gateway.ready.token.address);
  for (const isChainStopped of [false, true]) {
    const chosen = rows.filter((row) => row.isChainStopped === isChainStopped);
    const cases = chosen.flatMap((row) => forms.map((form) => ({ row, ...form })));
    if (isChainStopped) await settled.setMining(false);
    const purchases = await Promise.all(cases.map(({ row, isStreamed }) => buy(row, isStreamed)));
    if (isChainStopped) {
      await Promise.all(
        purchases.map(({ between, completions }) => Promise.race([between.struck, completions])),
      );
      await settled.setMining(true);
    }
    for (const [at, { between, completions, close }] of purchases.entries()) {
      const received = await completions;
      const { row, form } = cases[at] ?? {};
      measured.set(`${row?.name}, ${form}`, `${await countPayments(between)}, ${received}`);
      await close();
    }
  }
}, 180_000);

afterAll(async () => {
  settled.close();
  await gateway.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function buy({ name, strike }: Row, isStreamed: boolean): Promise<Purchase> {
  const { url, payer } = gateway.ready;
  const between = await startFaultProxy(url, strike);
  const key = readKey(payer.keyFile, {});
  if (!key.ok) throw new Error(key.message);
  const proxy = await startProxy({
    upstream: between.url,
    accessToken,
    signer: key.wallet,
    journal: openJournal(join(folder, `${name}-${isStreamed}`.replaceAll(/\W+/g, '-'))),
    // The request goes to the proxy with the fault, and the offer names the gateway.
    rules: { amountPerRequestMax: 100_000n, amountTotalMax: 200_000n, resourceHosts: [new URL(url).host] },
    port: 0,
    say: () => undefined,
    timeoutMs,
  });
  const openai = new OpenAI({ baseURL: proxy.url, apiKey: accessToken });
  const content = `Say ${name} ${isStreamed}.`;
  const body = { model: 'alder/alder-mini', messages: [{ role: 'user' as const, content }] };
  async function ask(): Promise<string> {
    if (!isStreamed) return (await openai.chat.completions.create(body)).choices[0]?.message.content ?? '';
    let text = '';
    for await (const { choices } of await openai.chat.completions.create({ ...body, stream: true }))
      text += choices[0]?.delta.content ?? '';
    return text;
  }
  async function call(): Promise<number> {
    for (let calls = 1; calls <= callsMax; calls++) {
      const text = await ask().catch(() => '');
      if (text !== '') return 1;
    }
    return 0;
  }
  const close = async () => {
    await proxy.close();
    await between.close();
  };
  return { between, completions: call(), close };
}

async function countPayments({ authorizations }: FaultProxy): Promise<number> {
  const states = [...authorizations.keys()].map((nonce) =>
    settled.isSettled(gateway.ready.payer.address, nonce),
  );
  return (await Promise.all(states)).filter(Boolean).length;
}

test.each(rows)(
  'One purchase is one payment and one completion, whole and streamed: fault $name (D-291)',
  ({ name }) => {
    expect(forms.map(({ form }) => measured.get(`${name}, ${form}`))).toEqual(['1, 1', '1, 1']);
  },
);

test('The table of the manual has these figures', () => {
  const lines = [
    ['fault in the first payment', ...forms.map(({ form }) => form)],
    ['---', '---', '---'],
    ...rows.map(({ name }) => [name, ...forms.map(({ form }) => measured.get(`${name}, ${form}`) ?? '')]),
  ].map((line) => `| ${line.join(' | ')} |`);
  expect(readFileSync(join(import.meta.dirname, '..', 'PROXY.md'), 'utf8')).toContain(lines.join('\n'));
});
