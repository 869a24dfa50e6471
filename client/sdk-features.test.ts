import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { network } from '@paid-inference/contract/constants';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type GatewayProcess, startGatewayProcess } from './demo/gateway-process.ts';
import { startFaultProxy } from './testing/fault-proxy.ts';
import { openX402Fetch, payingFetches } from './testing/paying-fetches.ts';
import { type Feature, features, sdks } from './testing/sdks.ts';

type Fetch = keyof typeof payingFetches;
type Sdk = keyof typeof sdks;
const clients = (Object.keys(payingFetches) as Fetch[]).flatMap((fetch) =>
  (Object.keys(sdks) as Sdk[]).map((sdk) => ({ fetch, sdk })),
);

/** An SDK without a feature has a dash. */
type Cell = 'yes' | 'no' | '–';

let gateway: GatewayProcess;
const folder = mkdtempSync(join(tmpdir(), 'paid-inference-features-'));
const measured = new Map<string, Cell>();
const keyOf = (feature: Feature, { sdk, fetch }: (typeof clients)[number]) => `${feature}, ${sdk}, ${fetch}`;

beforeAll(async () => {
  gateway = await startGatewayProcess(new AbortController().signal);
  await Promise.all(
    clients.flatMap((client) =>
      features.map(async (feature) => {
        const key = keyOf(feature, client);
        measured.set(key, await measure(feature, client));
      }),
    ),
  );
});
afterAll(async () => {
  await gateway.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function measure(feature: Feature, { fetch, sdk }: (typeof clients)[number]): Promise<Cell> {
  const proxy = await startFaultProxy(gateway.ready.url, null);
  const name = `${fetch} ${sdk} ${features.indexOf(feature)}`.replaceAll(/\W+/g, '-');
  const paying = payingFetches[fetch](gateway.ready, folder, name);
  const { [feature]: run } = sdks[sdk]({
    baseURL: `${proxy.url}/v1`,
    fetch: paying,
    timeoutMs: 30_000,
  }).features;
  try {
    if (run === undefined) return '–';
    const works = await run().catch(() => false);
    const isPaid = feature !== 'an image is refused before the payment';
    return works && isPaid === proxy.authorizations.size > 0 ? 'yes' : 'no';
  } finally {
    await proxy.close();
  }
}

describe.each(Object.keys(sdks) as Sdk[])('%s over payingFetch has every feature that it sends:', (sdk) => {
  test.each(features)('%s', (feature) => {
    expect(measured.get(keyOf(feature, { sdk, fetch: 'payingFetch' }))).not.toBe('no');
  });
});

describe('@x402/fetch pays nothing', () => {
  test.each([
    ['without allowedAssets', () => ({}), 'spendControls'],
    [
      'above maxAmountPerPayment',
      (asset: string) => ({ allowedAssets: [{ network, asset, maxAmountPerPayment: '10' }] }),
      'maxAmountPerPayment',
    ],
  ])('%s', async (_, controls, reason) => {
    const proxy = await startFaultProxy(gateway.ready.url, null);
    const fetch = openX402Fetch(gateway.ready, controls(gateway.ready.token.address));
    const sdk = sdks['OpenAI SDK']({ baseURL: `${proxy.url}/v1`, fetch, timeoutMs: 30_000 });
    const error: unknown = await sdk.chat('Say pong.').catch((thrown: unknown) => thrown);
    expect(String(Reflect.get(Object(error), 'cause'))).toContain(reason);
    expect(proxy.authorizations.size).toBe(0);
    await proxy.close();
  });
});

test('The table of the manual has these features', () => {
  const lines = [
    ['feature', ...clients.map(({ sdk, fetch }) => `${sdk}, \`${fetch}\``)],
    ['---', ...clients.map(() => '---')],
    ...features.map((feature) => [feature, ...clients.map((client) => measured.get(keyOf(feature, client)))]),
  ].map((line) => `| ${line.join(' | ')} |`);
  expect(readFileSync(join(import.meta.dirname, 'README.md'), 'utf8')).toContain(lines.join('\n'));
});
