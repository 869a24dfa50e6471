import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type GatewayProcess, startGatewayProcess } from './demo/gateway-process.ts';
import { type StreamBreak, startFaultProxy } from './testing/fault-proxy.ts';
import { payingFetches } from './testing/paying-fetches.ts';
import { sdks } from './testing/sdks.ts';
import { openSettledPayments, type SettledPayments } from './testing/settled.ts';

type Sdk = keyof typeof sdks;
const sdkNames = Object.keys(sdks) as Sdk[];

/** A row of the table: what happens to the first stream of a purchase. */
const rows: readonly { readonly name: string; readonly strike: StreamBreak | null }[] = [
  { name: 'none', strike: null },
  { name: 'the connection ends before the first event', strike: { fault: 'cut', isBefore: () => true } },
  {
    name: 'the connection ends behind two events',
    strike: { fault: 'cut', isBefore: (_, index) => index === 2 },
  },
  {
    name: 'the connection ends before the usage',
    strike: { fault: 'cut', isBefore: (event) => event.includes('"total_tokens"') },
  },
  {
    name: 'the stream ends behind two events',
    strike: { fault: 'end', isBefore: (_, index) => index === 2 },
  },
  {
    name: 'the stream ends without `[DONE]`',
    strike: { fault: 'end', isBefore: (event) => event.startsWith('data: [DONE]') },
  },
];

/** After an error of the SDK, a program makes the same call again, at most this often in all. */
const callsMax = 3;

type Measured = {
  readonly payments: number;
  readonly completions: number;
  /** Requests with a payment. */
  readonly presented: number;
};

let gateway: GatewayProcess;
let settled: SettledPayments;
const folder = mkdtempSync(join(tmpdir(), 'paid-inference-streams-'));
const measured = new Map<string, Measured>();

beforeAll(async () => {
  gateway = await startGatewayProcess(new AbortController().signal);
  settled = openSettledPayments(gateway.ready.chain.rpcUrl, gateway.ready.token.address);
  const cases = rows.flatMap(({ name, strike }) => sdkNames.map((sdk) => ({ name, strike, sdk })));
  await Promise.all(
    cases.map(async ({ name, strike, sdk }) => measured.set(`${name}, ${sdk}`, await buy(name, strike, sdk))),
  );
}, 120_000);

afterAll(async () => {
  settled.close();
  await gateway.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function buy(name: string, strike: StreamBreak | null, sdkName: Sdk): Promise<Measured> {
  const proxy = await startFaultProxy(gateway.ready.url, strike);
  const fetch = payingFetches.payingFetch(
    gateway.ready,
    folder,
    `${name}, ${sdkName}`.replaceAll(/\W+/g, '-'),
  );
  const sdk = sdks[sdkName]({ baseURL: `${proxy.url}/v1`, fetch, timeoutMs: 30_000 });
  // The model repeats this text. A part of it is no completion.
  const saying = `two three four five six for ${sdkName} ${rows.findIndex((row) => row.name === name)}`;
  let completions = 0;
  for (let calls = 1; calls <= callsMax && completions === 0; calls++) {
    const text = await sdk.stream(`Say ${saying}`).catch(() => '');
    if (text === saying) completions = 1;
  }
  const states = [...proxy.authorizations.keys()].map((nonce) =>
    settled.isSettled(gateway.ready.payer.address, nonce),
  );
  const payments = (await Promise.all(states)).filter(Boolean).length;
  await proxy.close();
  return { payments, completions, presented: proxy.presented() };
}

describe.each(sdkNames)('One streamed purchase with %s over payingFetch (D-270)', (sdk) => {
  test.each(rows)(
    'is one payment, which is sent again, and one whole completion: $name',
    ({ name, strike }) => {
      const presented = strike === null ? 1 : 2;
      expect(measured.get(`${name}, ${sdk}`)).toEqual({ payments: 1, completions: 1, presented });
    },
  );
});

test('The table of the manual has these figures', () => {
  const cells = (name: string) =>
    sdkNames.map((sdk) => {
      const { payments, completions } = measured.get(`${name}, ${sdk}`) ?? {};
      return `${payments}, ${completions}`;
    });
  const lines = [
    ['fault in the first stream', ...sdkNames],
    ['---', ...sdkNames.map(() => '---')],
    ...rows.map(({ name }) => [name, ...cells(name)]),
  ].map((line) => `| ${line.join(' | ')} |`);
  expect(readFileSync(join(import.meta.dirname, 'README.md'), 'utf8')).toContain(lines.join('\n'));
});
