import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { computeAddress } from 'ethers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ask } from './devnet/deployer.ts';
import type { RunningGateway } from './start/start.ts';
import { sendAsThirdParty } from './testing/chain/send-as-third-party.ts';
import { type CountingEngine, createCountingEngine } from './testing/counting-engine.ts';
import { chatBody, chatPath, decodeOffer, paymentFor, post, type ReceivedResponse } from './testing/payer.ts';
import { openStartedGateways, type StartedGateways } from './testing/started-gateways.ts';
import type { Bytes32 } from './types/units.ts';

// Three gateways with separate stores and one recipient. This is a mistake of the operator, and must not give
// away completions (D-138).

const gatewayCount = 3;
let fixture: StartedGateways;
let gateways: RunningGateway[] = [];

beforeAll(async () => {
  fixture = await openStartedGateways();
});
afterEach(async () => {
  await Promise.all(gateways.map((gateway) => gateway.stop()));
  gateways = [];
});
afterAll(() => fixture.close());

describe('D-138: one authorization, sent to three gateways with separate stores and one recipient', () => {
  it.each([
    { keys: 'one relayer key', relayerKeys: () => Promise.resolve(fixture.devnet.relayerKey) },
    { keys: 'one relayer key for each gateway', relayerKeys: fundedKey },
  ])('buys one completion for each transfer, with $keys', async ({ relayerKeys }) => {
    const engine = engineThatWaitsForAll();
    await startAll(engine, relayerKeys);
    for (let round = 0; round < 3; round++) {
      const before = await received();
      const { responses, price } = await buyEverywhere();
      expect((await received()) - before).toBe(price);
      expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    }
  });

  it('buys nothing if the payer sends it to the chain during inference', async () => {
    const engine = createCountingEngine();
    await startAll(engine, fundedKey);
    const header = await signed();
    const { answering } = engine;
    const sent = Promise.withResolvers<void>();
    let running = 0;
    engine.answering = async (...parameters) => {
      if (++running === gatewayCount) {
        await sendAsThirdParty(fixture, header);
        sent.resolve();
      }
      await sent.promise;
      return answering(...parameters);
    };
    const responses = await everywhere(header);
    expect(responses.map(({ status }) => status)).toEqual([402, 402, 402]);
    for (const { body } of responses) {
      expect(body.error).toBe('invalid_exact_evm_nonce_already_used');
      expect(JSON.stringify(body)).not.toContain('pong');
    }
  });
});

/** Every inference waits until all gateways have reserved the payment. */
function engineThatWaitsForAll(): CountingEngine {
  const engine = createCountingEngine();
  const { answering } = engine;
  let all = Promise.withResolvers<void>();
  let running = 0;
  engine.answering = async (...parameters) => {
    const mine = all;
    if (++running === gatewayCount) {
      running = 0;
      all = Promise.withResolvers<void>();
      mine.resolve();
    }
    await mine.promise;
    return answering(...parameters);
  };
  return engine;
}

async function startAll(engine: CountingEngine, relayerKey: () => Promise<Bytes32>): Promise<void> {
  for (let place = 0; place < gatewayCount; place++) {
    const file = join(fixture.folder, `${randomBytes(4).toString('hex')}.db`);
    const started = await fixture.start({ DATABASE_FILE: file, RELAYER_KEY: await relayerKey() }, engine);
    if (!started.ok) throw new Error(started.fault.join('\n'));
    gateways.push(started.value);
  }
}

async function fundedKey(): Promise<Bytes32> {
  const key = `0x${randomBytes(32).toString('hex')}` as Bytes32;
  await ask(fixture.rpc, 'anvil_setBalance', [computeAddress(key), '0xde0b6b3a7640000']);
  return key;
}

async function signed(): Promise<Record<string, string>> {
  const [first] = gateways;
  const offer = decodeOffer(await post(`${first?.url}${chatPath}`, chatBody));
  return paymentFor(offer, fixture.devnet.payer.privateKey);
}

async function buyEverywhere() {
  const [first] = gateways;
  const price = BigInt(decodeOffer(await post(`${first?.url}${chatPath}`, chatBody)).maxAmountRequired);
  return { price, responses: await everywhere(await signed()) };
}

/** Repeats the payment at every gateway until each has a final response. */
function everywhere(header: Record<string, string>): Promise<readonly ReceivedResponse[]> {
  return Promise.all(
    gateways.map(async ({ url }) => {
      for (;;) {
        const response = await post(`${url}${chatPath}`, chatBody, header);
        if (response.status !== 503) return response;
      }
    }),
  );
}

function received(): Promise<bigint> {
  return fixture.balanceOf(fixture.devnet.payTo);
}
