import { inferenceProofTypes } from '@paid-inference/contract/eip712';
import type { SavedExchange } from '@paid-inference/contract/types';
import { hexlify, randomBytes } from 'ethers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEnclave, type Enclave } from '../testing/enclave.ts';
import { createRecord, type Scene } from '../testing/proven.ts';
import { makePurchases, type Purchases } from '../testing/purchases.ts';
import { changed, decodeProof, faults, listSteps } from '../testing/tamper.ts';
import { pickStatement } from './signature.ts';

let scene: Scene;
let enclave: Enclave;
let bought: Purchases['bought'];

beforeAll(async () => {
  ({ scene, enclave, bought } = await makePurchases());
});
afterAll(() => scene[Symbol.asyncDispose]());

describe('An unchanged exchange', () => {
  test.each([
    [
      'private',
      /^true: private: the proof ledger has nothing of this inference, and the gateway keeps nothing$/,
    ],
    ['individual', /^true: the proof ledger has its hashes since .*, in 0x[0-9a-f]{64}$/],
    [
      'batch',
      /^true: the proof ledger confirms the inference under the root of batch 1 \(4 inferences, recorded at .*\)$/,
    ],
  ] as const)('of type %s is true in every step', async (settlementType, inclusion) => {
    const verification = await scene.verify(bought[settlementType]);
    expect(listSteps(verification)).toEqual({
      hashes: expect.stringMatching(/^true: request, response and model .* match the proof/),
      signature: `true: signed by ${enclave.key.address} for the proof ledger ${scene.ledger.verifyingContract} on chain 31740`,
      key: expect.stringMatching(/^true: the key 0x.* is registered since .*Z, with the evidence/),
      attestation: 'true: not a TEE: no hardware attests the key',
      inclusion: expect.stringMatching(inclusion),
      payment: expect.stringMatching(/^true: 1000 units of 0x.* went from 0x.* to 0x.* in 0x.*, as signed$/),
    });
    expect(verification).toMatchObject({ verdict: 'true', ledger: { chainId: 31_740, isPinned: false } });
  });

  test('says whether the caller pinned the proof ledger', async () => {
    const { verdict, ledger } = await scene.verify(bought.batch, { ledger: scene.ledger.verifyingContract });
    expect([verdict, ledger?.isPinned]).toEqual(['true', true]);
  });

  test("needs no gateway once it has the gateway's statements", async () => {
    const { exchange } = await scene.verify(bought.batch);
    const { verdict } = await scene.verify(exchange, { gatewayUrl: null });
    expect(verdict).toBe('true');
    expect(faults(await scene.verify(bought.batch, { gatewayUrl: null }))).toEqual({
      attestation: 'unknown: there is no attestation: no gateway was asked',
      inclusion: expect.stringMatching(/^unknown: .*no gateway was asked$/),
    });
  });

  test('that was saved with a pending record gets a new record', async () => {
    const exchange = { ...bought.batch, proof: createRecord(decodeProof(bought.batch), 'pending') };
    expect(faults(await scene.verify(exchange))).toEqual({});
    expect(faults(await scene.verify(exchange, { gatewayUrl: null }))).toMatchObject({
      inclusion: 'unknown: the gateway has not formed its batch yet',
    });
  });

  test('is true with its JSON written in another way', async () => {
    const { request, response } = bought.individual;
    const respelt = JSON.stringify(
      Object.fromEntries(Object.entries(JSON.parse(request.body)).reverse()),
      null,
      2,
    );
    const exchange = {
      ...bought.individual,
      request: { ...request, body: respelt },
      response: { ...response, body: ` ${response.body}\n` },
    };
    expect(faults(await scene.verify(exchange))).toEqual({});
  });
});

describe('The record must match the settlement type of the request:', () => {
  /** Records the hashes of an inference, signed by the same key for `individual`. */
  async function recordIndividually(exchange: SavedExchange): Promise<void> {
    const proof = { ...decodeProof(exchange), settlementType: 'individual' } as const;
    const signature = await enclave.key.signTypedData(
      scene.ledger,
      inferenceProofTypes,
      pickStatement(proof),
    );
    await scene.record({ ...proof, signature });
  }

  test('private: neither hashes on the proof ledger nor a record at the gateway', async () => {
    const exchange = await scene.exchange(enclave, 'private');
    await recordIndividually(exchange);
    expect(faults(await scene.verify(exchange))).toEqual({
      inclusion:
        'false: the request asked for private, but the proof ledger has the hashes of this inference',
    });
    const kept = await scene.exchange(enclave, 'private');
    scene.records.set(decodeProof(kept).proofId, createRecord(decodeProof(kept), 'pending'));
    expect(faults(await scene.verify(kept))).toEqual({
      inclusion: 'false: the request asked for private, but the gateway keeps a proof of it',
    });
  });

  test('batch: no hashes on the proof ledger', async () => {
    const exchange = await scene.exchange(enclave, 'batch');
    await recordIndividually(exchange);
    expect(faults(await scene.verify(exchange))).toEqual({
      inclusion: 'false: the request asked for batch, but the proof ledger has the hashes of this inference',
    });
  });

  test('the proof has the settlement type of the request, batch by default', async () => {
    const asked = (headers: Record<string, string>) => ({
      ...bought.individual,
      request: {
        ...bought.individual.request,
        headers: { ...bought.individual.request.headers, ...headers },
      },
    });
    const { inclusion } = faults(await scene.verify(asked({ 'x-settlement-type': 'private' })));
    expect(inclusion).toBe('false: the request asked for private, but the proof is for individual');
    const { 'x-settlement-type': _, ...without } = bought.batch.request.headers;
    const silent = { ...bought.batch, request: { ...bought.batch.request, headers: without } };
    expect(faults(await scene.verify(silent))).toEqual({});
  });
});

describe('Missing data is unknown, not false:', () => {
  test('a proof that waits for its batch', async () => {
    const exchange = await scene.exchange(enclave, 'batch');
    const proof = decodeProof(exchange);
    scene.records.set(proof.proofId, createRecord(proof, 'pending'));
    const early = await scene.verify(exchange);
    expect([early.verdict, faults(early)]).toEqual([
      'unknown',
      { inclusion: 'unknown: the gateway has not formed its batch yet' },
    ]);
    const clock = { ...scene.clock, waitMs: () => scene.recordBatch([proof]) };
    expect(faults(await scene.verify(exchange, { waitSeconds: 10, clock }))).toEqual({});
  });

  test('an individual proof that is not recorded within waitSeconds', async () => {
    const exchange = await scene.exchange(enclave, 'individual');
    const proof = decodeProof(exchange);
    scene.records.set(proof.proofId, createRecord(proof, 'pending'));
    const waits = scene.clock.waitsMs.length;
    expect(faults(await scene.verify(exchange, { waitSeconds: 3 }))).toEqual({
      inclusion:
        'unknown: the proof ledger does not have this inference yet: the gateway says that it is pending',
    });
    expect(scene.clock.waitsMs.slice(waits)).toEqual([1_000, 1_000, 1_000]);
    scene.records.delete(proof.proofId);
    expect(faults(await scene.verify(exchange))).toEqual({
      inclusion: 'unknown: the proof ledger does not have this inference, and the gateway has no such proof',
    });
  });

  test("an individual proof that the proof ledger refuses, with the gateway's reason", async () => {
    const exchange = await scene.exchange(enclave, 'individual');
    const proof = decodeProof(exchange);
    const refusal = 'the ledger does not know the signer';
    scene.records.set(proof.proofId, { ...createRecord(proof, 'refused'), refusal });
    const inclusion =
      'unknown: the proof ledger does not have this inference, and the gateway says that the proof ledger refuses it: the ledger does not know the signer';
    expect(faults(await scene.verify(exchange))).toEqual({ inclusion });
  });

  test('a key that is registered within waitSeconds', async () => {
    const young = await createEnclave(scene.ledger);
    const attestation = young.boot;
    const exchange = { ...(await scene.exchange(young, 'private')), attestation };
    const { address } = young.key;
    const clock = { ...scene.clock, waitMs: () => scene.register(address, attestation.evidenceHash) };
    expect(faults(await scene.verify(exchange, { waitSeconds: 5, clock }))).toEqual({});
  });

  test('a block that the node does not have yet; a block without the record is false', async () => {
    const exchange = await scene.exchange(enclave, 'individual');
    const proof = decodeProof(exchange);
    const block = await scene.ledgerChain.provider.getBlockNumber();
    const at = (blockNumber: number) =>
      scene.records.set(
        proof.proofId,
        createRecord(proof, 'recorded', { txHash: proof.proofId, blockNumber }),
      );
    at(block + 1);
    expect(faults(await scene.verify(exchange))).toEqual({
      inclusion: expect.stringMatching(
        /^unknown: the proof ledger does not have this inference yet: its node is at block/,
      ),
    });
    at(block);
    expect(faults(await scene.verify(exchange))).toEqual({
      inclusion: `false: the proof ledger does not have this inference, although the gateway names block ${block}`,
    });
  });

  test('nodes that are down, and nodes that were not given', async () => {
    const closed = 'http://127.0.0.1:9';
    const silent = await scene.verify(bought.batch, { ledgerRpcUrl: closed, chainRpcUrl: closed });
    expect(faults(silent)).toEqual({
      key: expect.stringMatching(/^unknown: the proof ledger's node failed: /),
      inclusion: expect.stringMatching(/^unknown: the proof ledger's node failed: /),
      payment: expect.stringMatching(/^unknown: the chain's node failed: /),
    });
    const { verifyExchange } = await import('./verify-exchange.ts');
    const unnamed = await verifyExchange(bought.batch, { gatewayUrl: null, clock: scene.clock });
    expect(faults(unnamed)).toEqual({
      key: 'unknown: no RPC endpoint of the proof ledger was given',
      attestation: 'unknown: there is no attestation: no gateway was asked',
      inclusion: 'unknown: no RPC endpoint of the proof ledger was given',
      payment: 'unknown: no RPC endpoint of the payment chain was given',
    });
  });

  test('a response without a proof (D-87), unless the file has statements about a proof', async () => {
    const { 'x-inference-proof': _, ...headers } = bought.batch.response.headers;
    const exchange = { ...bought.batch, response: { ...bought.batch.response, headers } };
    const verification = await scene.verify(exchange);
    expect(listSteps(verification)).toMatchObject({
      hashes:
        'unknown: the response has no X-INFERENCE-PROOF: the gateway sends no proofs, or the header was removed',
      payment: expect.stringMatching(/^true/),
    });
    expect([verification.verdict, verification.ledger]).toEqual(['unknown', null]);
    const taken = await scene.verify({ ...exchange, attestation: enclave.boot });
    expect(faults(taken)['hashes']).toBe(
      'false: the response has no X-INFERENCE-PROOF, although the file has statements about it: the header was removed',
    );
  });

  test('evidence of an unknown format', async () => {
    const attestation = { ...enclave.boot, format: 'tpm-quote' };
    expect(faults(await scene.verify({ ...bought.batch, attestation }))).toEqual({
      attestation: 'unknown: this program cannot verify evidence of the format tpm-quote',
    });
  });
});

describe('Fresh evidence', () => {
  const nonce = hexlify(randomBytes(32));

  test('is for the nonce of the caller', async () => {
    scene.fresh = (asked) => enclave.attest(asked);
    const verification = await scene.verify(bought.batch, { nonce });
    expect(listSteps(verification)).toMatchObject({ freshness: expect.stringMatching(/^true: not a TEE/) });
    expect(verification.steps.map(({ step }) => step)).toEqual([
      'hashes',
      'signature',
      'key',
      'attestation',
      'freshness',
      'inclusion',
      'payment',
    ]);
  });

  test('for another nonce is false', async () => {
    scene.fresh = () => enclave.attest(changed(nonce));
    expect(faults(await scene.verify(bought.batch, { nonce }))).toEqual({
      freshness: expect.stringMatching(/^false: the attestation is for the nonce 0x.*, not 0x/),
    });
  });

  test('of another key is unknown', async () => {
    const next = await scene.enclave();
    scene.fresh = (asked) => next.attest(asked);
    expect(faults(await scene.verify(bought.batch, { nonce }))).toEqual({
      freshness: `unknown: the gateway has another key now, ${next.key.address}`,
    });
  });
});
