import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { headerNames } from '@paid-inference/contract/constants';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningGateway } from './start/start.ts';
import { type CountingEngine, createCountingEngine } from './testing/counting-engine.ts';
import { chatBody, chatPath, decodeOffer, paymentFor, post } from './testing/payer.ts';
import { openStartedGateways, type StartedGateways } from './testing/started-gateways.ts';

// The operator changes the catalog between a sale and the next request with its payment (D-225).

let gateways: StartedGateways;
beforeAll(async () => {
  gateways = await openStartedGateways();
});
afterAll(() => gateways.close());

const model = {
  id: chatBody.model,
  created: 1_700_000_000,
  owned_by: 'alder',
  engine: 'reference',
  context_length: 8_192,
  max_output_tokens: 2_048,
  pricing: { input_per_million: '1000000', output_per_million: '4000000', minimum: '1000' },
};

async function start(sold: object, engine: CountingEngine, waitMs?: number): Promise<RunningGateway> {
  const file = join(gateways.folder, 'catalog.json');
  writeFileSync(file, JSON.stringify({ models: [sold] }));
  const started = await gateways.start({ CATALOG_FILE: file }, engine, waitMs);
  if (!started.ok) throw new Error(started.fault.join('\n'));
  return started.value;
}

const ask = ({ url }: RunningGateway, headers: Record<string, string>, body: object = chatBody) =>
  post(`${url}${chatPath}`, body, headers);

async function sign({ url }: RunningGateway): Promise<Record<string, string>> {
  const offer = decodeOffer(await post(`${url}${chatPath}`, chatBody));
  return paymentFor(offer, gateways.devnet.payer.privateKey);
}

describe.each([
  ['no longer has the model', { ...model, id: 'alder/another' }],
  ['has a lower limit on the output', { ...model, max_output_tokens: chatBody.max_tokens - 1 }],
])('D-225: a catalog that %s', (_name, changed) => {
  it('still replays a paid completion, for the same request alone', async () => {
    const engine = createCountingEngine();
    const first = await start(model, engine);
    const payment = await sign(first);
    const sold = await ask(first, payment);
    const unused = await sign(first);
    await first.stop();
    const second = await start(changed, engine);
    const replayed = await ask(second, payment);
    expect([replayed.status, replayed.body]).toEqual([200, sold.body]);
    expect(replayed.headers.get(headerNames.idempotentReplayed)).toBe('true');
    const other = { ...chatBody, messages: [{ role: 'user', content: 'another request' }] };
    const forged = { [headerNames.payment]: `${payment[headerNames.payment]?.slice(0, -40)}` };
    for (const [headers, body] of [
      [payment, other],
      [{ ...payment, [headerNames.settlementType]: 'individual' }, chatBody],
      [unused, chatBody],
      [forged, chatBody],
      [{}, chatBody],
    ] as const)
      expect((await ask(second, headers, body)).body.error.code).toBe('invalid_request');
    expect(engine.runs).toBe(1);
    await second.stop();
  });

  it('still delivers a payment that was settling, once the chain shows it', async () => {
    const engine = createCountingEngine();
    const first = await start(model, engine, 200);
    const payment = await sign(first);
    await gateways.rpc.call('evm_setAutomine', [false]);
    expect((await ask(first, payment)).body.error.code).toBe('settlement_pending');
    await first.stop();
    const second = await start(changed, engine, 200);
    expect((await ask(second, payment)).body.error.code).toBe('settlement_pending');
    await gateways.rpc.call('evm_setAutomine', [true]);
    await gateways.rpc.call('evm_mine', []);
    await expect.poll(() => ask(second, payment)).toMatchObject({ status: 200 });
    expect(engine.runs).toBe(1);
    await second.stop();
  });
});
