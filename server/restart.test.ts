import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Devnet } from './devnet/devnet.ts';
import { openSqliteStore } from './store/sqlite/sqlite-store.ts';
import { createCountingEngine } from './testing/counting-engine.ts';
import {
  chatBody,
  chatPath,
  decodeOffer,
  decodeProof,
  decodeReceipt,
  paymentFor,
  post,
} from './testing/payer.ts';
import { startUnreliableNode } from './testing/settlement/unreliable-node.ts';
import { openStartedGateways, type StartedGateways } from './testing/started-gateways.ts';
import { systemClock } from './types/clock.ts';
import { atomicAmount, type Bytes32, type Hex, unixSeconds } from './types/units.ts';

let gateways: StartedGateways;
let devnet: Devnet;

beforeAll(async () => {
  gateways = await openStartedGateways();
  devnet = gateways.devnet;
});
afterAll(() => gateways.close());

describe('the next start continues the payments of a crash', () => {
  it('an executed payment is settled once, and the same payment gets its completion', async () => {
    const engine = createCountingEngine();
    const first = await gateways.started(engine, 200);
    const offer = decodeOffer(await post(`${first.url}${chatPath}`, chatBody));
    const header = await paymentFor(offer, devnet.payer.privateKey);
    const before = await gateways.balanceOf(devnet.payer.address);
    await gateways.rpc.call('evm_setAutomine', [false]);
    const pending = await post(`${first.url}${chatPath}`, chatBody, header);
    expect(pending.body.error.code).toBe('settlement_pending');
    await first.stop();
    await gateways.rpc.call('evm_setAutomine', [true]);
    await gateways.rpc.call('evm_mine', []);
    const second = await gateways.started(engine);
    const ask = () => post(`${second.url}${chatPath}`, chatBody, header);
    await expect.poll(ask).toMatchObject({ status: 200 });
    expect(engine.runs).toBe(1);
    expect(await gateways.balanceOf(devnet.payer.address)).toBe(before - BigInt(offer.maxAmountRequired));
    await second.stop();
  });

  it('an authorization that joined a payment is not charged by the next process, nor is a new one (D-258)', async () => {
    const engine = createCountingEngine();
    const first = await gateways.started(engine, 200);
    const chat = `${first.url}${chatPath}`;
    const offer = decodeOffer(await post(chat, chatBody));
    const sign = () => paymentFor(offer, devnet.payer.privateKey);
    const before = await gateways.balanceOf(devnet.payer.address);
    await gateways.rpc.call('evm_setAutomine', [false]);
    const joined = await sign();
    for (const header of [await sign(), joined])
      expect((await post(chat, chatBody, header)).body.error.code).toBe('settlement_pending');
    await first.stop();
    await gateways.rpc.call('evm_setAutomine', [true]);
    await gateways.rpc.call('evm_mine', []);
    const second = await gateways.started(engine);
    const send = async (header: Record<string, string>) => post(`${second.url}${chatPath}`, chatBody, header);
    const fresh = await sign();
    await expect.poll(() => send(fresh)).toMatchObject({ status: 200 });
    const bought = [await send(joined), await send(fresh)];
    expect(new Set(bought.map((response) => decodeReceipt(response).txHash)).size).toBe(1);
    expect(engine.runs).toBe(1);
    expect(await gateways.balanceOf(devnet.payer.address)).toBe(before - BigInt(offer.maxAmountRequired));
    await second.stop();
    const third = await gateways.started(engine);
    const last = await post(`${third.url}${chatPath}`, chatBody, await sign());
    expect([last.status, engine.runs]).toEqual([200, 2]);
    await third.stop();
  });

  it('a completion keeps the proof that was sent with it, though its key is gone (D-68)', async () => {
    const first = await gateways.started(createCountingEngine());
    const offer = decodeOffer(await post(`${first.url}${chatPath}`, chatBody));
    const header = await paymentFor(offer, devnet.payer.privateKey);
    const sent = await post(`${first.url}${chatPath}`, chatBody, header);
    await first.stop();
    const second = await gateways.started(createCountingEngine());
    const again = await post(`${second.url}${chatPath}`, chatBody, header);
    expect([again.status, again.body]).toEqual([200, sent.body]);
    expect(again.headers.get('X-INFERENCE-PROOF')).toBe(sent.headers.get('X-INFERENCE-PROOF'));
    const { signer, proofId, attestation, ledger } = decodeProof(sent);
    const other = await paymentFor(offer, devnet.payer.privateKey);
    expect(decodeProof(await post(`${second.url}${chatPath}`, chatBody, other)).signer).not.toBe(signer);
    const ask = async (path: string) => (await fetch(`${second.url}/v1/${path}`)).json();
    const { evidenceHash } = attestation;
    expect(await ask(`attestation?signer=${signer}`)).toMatchObject({ signer, evidenceHash, ledger });
    expect(await ask(`proofs/${proofId}`)).toMatchObject({ id: proofId, leaf: { signer }, ledger });
    await second.stop();
  });

  it('a transaction that was stored and not sent is sent once at the next start, even without a request', async () => {
    const engine = createCountingEngine();
    const store = { DATABASE_FILE: join(gateways.folder, 'executed.db') };
    const node = await startUnreliableNode(devnet.rpcUrl);
    // Without a relayer nonce no transaction can be signed.
    node.conduct = (method) => (method === 'eth_getTransactionCount' ? 'fails' : 'sound');
    const first = await gateways.start({ ...store, CHAIN_RPC_URL: node.url }, engine, 200);
    if (!first.ok) throw new Error(first.fault.join('\n'));
    const chat = `${first.value.url}${chatPath}`;
    const offer = decodeOffer(await post(chat, chatBody));
    const header = await paymentFor(offer, devnet.payer.privateKey);
    const before = await gateways.balanceOf(devnet.payTo);
    expect((await post(chat, chatBody, header)).body.error.code).toBe('settlement_pending');
    await first.value.stop();
    await node.close();
    expect(gateways.statesIn(store.DATABASE_FILE)).toEqual([{ state: 'executed' }]);

    const second = await gateways.start(store, engine);
    if (!second.ok) throw new Error(second.fault.join('\n'));
    const price = BigInt(offer.maxAmountRequired);
    await expect.poll(() => gateways.balanceOf(devnet.payTo)).toBe(before + price);
    const asked = expect.poll(() => post(`${second.value.url}${chatPath}`, chatBody, header), {
      timeout: 5_000,
    });
    await asked.toMatchObject({ status: 200, body: { object: 'chat.completion' } });
    expect(engine.runs).toBe(1);
    expect(await gateways.balanceOf(devnet.payTo)).toBe(before + price);
    await second.value.stop();
    expect(gateways.statesIn(store.DATABASE_FILE)).toEqual([{ state: 'settled' }]);
  });

  it('a reservation without a completion is released', async () => {
    const { config } = gateways.settings();
    const store = await openSqliteStore({
      path: config.databaseFile,
      clock: systemClock,
      busyTimeoutMs: 1_000,
      balanceAgeMaxSeconds: 1_000,
    });
    const payer = await devnet.fundPayer(atomicAmount(10n));
    const now = unixSeconds(1_800_000_000);
    const authorization = {
      from: payer.address,
      to: devnet.payTo,
      value: atomicAmount(10n),
      validAfter: 0n,
      validBefore: 1_900_000_000n,
      nonce: `0x${'77'.repeat(32)}` as Bytes32,
    };
    const claim = {
      asset: devnet.token.address,
      authorization,
      signature: `0x${'00'.repeat(65)}` as Hex,
      fingerprint: 'a request of the last run',
      settlementType: 'batch' as const,
      leaseUntil: unixSeconds(now + 120),
    };
    const reading = { balance: atomicAmount(10n), block: 1, readAt: now };
    const reserved = await store.reserve(claim, reading, now);
    expect(reserved.kind).toBe('reserved');
    await store.close();
    await (await gateways.started(createCountingEngine())).stop();
    const reopened = await openSqliteStore({
      path: config.databaseFile,
      clock: systemClock,
      busyTimeoutMs: 1_000,
      balanceAgeMaxSeconds: 1_000,
    });
    expect(await reopened.lookUp(claim.asset, payer.address, authorization.nonce)).toMatchObject({
      state: 'released',
    });
    expect((await reopened.reserve(claim, reading, now)).kind).toBe('reserved');
    await reopened.close();
  });
});
