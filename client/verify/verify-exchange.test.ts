import { inferenceProofTypes } from '@paid-inference/contract/eip712';
import type { SavedExchange } from '@paid-inference/contract/types';
import { hexlify, randomBytes } from 'ethers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEnclave, type Enclave } from '../testing/enclave.ts';
import { recordOf, type Scene } from '../testing/proven.ts';
import { makePurchases, type Purchases } from '../testing/purchases.ts';
import { changed, faults, proofOf, told } from '../testing/tamper.ts';
import { statementOf } from './signature.ts';

let scene: Scene;
let enclave: Enclave;
let bought: Purchases['bought'];

beforeAll(async () => {
  ({ scene, enclave, bought } = await makePurchases());
});
afterAll(() => scene[Symbol.asyncDispose]());

describe('An exchange as it was', () => {
  test.each([
    [
      'private',
      /^true: private: the ledger has nothing of this inference, and the gateway has kept nothing$/,
    ],
    ['individual', /^true: its hashes are recorded on the ledger since .*, in 0x[0-9a-f]{64}$/],
    [
      'batch',
      /^true: it lies under the root of batch 1 of 4, recorded at .*, as the ledger contract confirms$/,
    ],
  ] as const)('%s is true in every step', async (settlementType, inclusion) => {
    const verification = await scene.verify(bought[settlementType]);
    expect(told(verification)).toEqual({
      hashes: expect.stringMatching(/^true: the request, the answer and the model .* are those/),
      signature: `true: signed by ${enclave.key.address} for the ledger ${scene.ledger.verifyingContract} on chain 31740`,
      key: expect.stringMatching(/^true: the key 0x.* is registered since .*Z, with the evidence/),
      attestation: 'true: not a TEE: the key vouches for itself, and nothing says where it is kept',
      inclusion: expect.stringMatching(inclusion),
      payment: expect.stringMatching(
        /^true: 1000 units of 0x.* went from 0x.* to 0x.* in 0x.*, as was signed$/,
      ),
    });
    expect(verification).toMatchObject({ verdict: 'true', ledger: { chainId: 31_740, isPinned: false } });
  });

  test('says that the ledger was named by the caller, where it was', async () => {
    const { verdict, ledger } = await scene.verify(bought.batch, { ledger: scene.ledger.verifyingContract });
    expect([verdict, ledger?.isPinned]).toEqual(['true', true]);
  });

  test('needs no gateway once what it said is kept with it', async () => {
    const { exchange } = await scene.verify(bought.batch);
    const { verdict } = await scene.verify(exchange, { gatewayUrl: null });
    expect(verdict).toBe('true');
    expect(faults(await scene.verify(bought.batch, { gatewayUrl: null }))).toEqual({
      attestation: 'unknown: there is no attestation: no gateway was asked',
      inclusion: expect.stringMatching(/^unknown: .*no gateway was asked$/),
    });
  });

  test('that was saved while its proof was pending is looked up anew', async () => {
    const exchange = { ...bought.batch, proof: recordOf(proofOf(bought.batch), 'pending') };
    expect(faults(await scene.verify(exchange))).toEqual({});
    expect(faults(await scene.verify(exchange, { gatewayUrl: null }))).toMatchObject({
      inclusion: 'unknown: it waits for its batch to be formed',
    });
  });

  test('does not depend on how its JSON is written', async () => {
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

describe('What the ledger has must be what was asked for:', () => {
  /** Records hashes of an inference for which the key signed something else, too. */
  async function betray(exchange: SavedExchange): Promise<void> {
    const proof = { ...proofOf(exchange), settlementType: 'individual' } as const;
    const signature = await enclave.key.signTypedData(scene.ledger, inferenceProofTypes, statementOf(proof));
    await scene.record({ ...proof, signature });
  }

  test('of a private inference it has no hashes, and the gateway nothing', async () => {
    const exchange = await scene.exchange(enclave, 'private');
    await betray(exchange);
    expect(faults(await scene.verify(exchange))).toEqual({
      inclusion: 'false: private was asked for, and the ledger has the hashes of this inference',
    });
    const kept = await scene.exchange(enclave, 'private');
    scene.records.set(proofOf(kept).proofId, recordOf(proofOf(kept), 'pending'));
    expect(faults(await scene.verify(kept))).toEqual({
      inclusion: 'false: private was asked for, and the gateway has kept a proof of it',
    });
  });

  test('of one in a batch it has no hashes of its own', async () => {
    const exchange = await scene.exchange(enclave, 'batch');
    await betray(exchange);
    expect(faults(await scene.verify(exchange))).toEqual({
      inclusion: 'false: batch was asked for, and the ledger has the hashes of this inference',
    });
  });

  test('and the proof is for the mode that was asked for; batch where none was', async () => {
    const asked = (headers: Record<string, string>) => ({
      ...bought.individual,
      request: {
        ...bought.individual.request,
        headers: { ...bought.individual.request.headers, ...headers },
      },
    });
    const { inclusion } = faults(await scene.verify(asked({ 'x-settlement-type': 'private' })));
    expect(inclusion).toBe('false: private was asked for, and the proof is for individual');
    const { 'x-settlement-type': _, ...without } = bought.batch.request.headers;
    const silent = { ...bought.batch, request: { ...bought.batch.request, headers: without } };
    expect(faults(await scene.verify(silent))).toEqual({});
  });
});

describe('What cannot be told is unknown, and never false:', () => {
  test('a proof that waits for its batch, until it is recorded', async () => {
    const exchange = await scene.exchange(enclave, 'batch');
    const proof = proofOf(exchange);
    scene.records.set(proof.proofId, recordOf(proof, 'pending'));
    const early = await scene.verify(exchange);
    expect([early.verdict, faults(early)]).toEqual([
      'unknown',
      { inclusion: 'unknown: it waits for its batch to be formed' },
    ]);
    const clock = { ...scene.clock, waitMs: () => scene.recordBatch([proof]) };
    expect(faults(await scene.verify(exchange, { waitSeconds: 10, clock }))).toEqual({});
  });

  test('an individual proof that is not recorded yet, for as long as is waited', async () => {
    const exchange = await scene.exchange(enclave, 'individual');
    const proof = proofOf(exchange);
    scene.records.set(proof.proofId, recordOf(proof, 'pending'));
    const waits = scene.clock.waitsMs.length;
    expect(faults(await scene.verify(exchange, { waitSeconds: 3 }))).toEqual({
      inclusion: 'unknown: the ledger does not have this inference yet: the gateway says that it is pending',
    });
    expect(scene.clock.waitsMs.slice(waits)).toEqual([1_000, 1_000, 1_000]);
    scene.records.delete(proof.proofId);
    expect(faults(await scene.verify(exchange))).toEqual({
      inclusion: 'unknown: the ledger does not have this inference, and the gateway knows no such proof',
    });
  });

  test('an individual proof that the ledger refuses, with the reason that the gateway gives', async () => {
    const exchange = await scene.exchange(enclave, 'individual');
    const proof = proofOf(exchange);
    const refusal = 'the ledger does not know the signer';
    scene.records.set(proof.proofId, { ...recordOf(proof, 'refused'), refusal });
    const inclusion =
      'unknown: the ledger does not have this inference, and refuses it, so the gateway says: the ledger does not know the signer';
    expect(faults(await scene.verify(exchange))).toEqual({ inclusion });
  });

  test('a key that a gateway has only just made is waited for, too', async () => {
    const young = await createEnclave(scene.ledger);
    const attestation = young.boot;
    const exchange = { ...(await scene.exchange(young, 'private')), attestation };
    const { address } = young.key;
    const clock = { ...scene.clock, waitMs: () => scene.register(address, attestation.evidenceHash) };
    expect(faults(await scene.verify(exchange, { waitSeconds: 5, clock }))).toEqual({});
  });

  test("a block that the ledger's node does not have yet; one that it has and that lacks the record is false", async () => {
    const exchange = await scene.exchange(enclave, 'individual');
    const proof = proofOf(exchange);
    const block = await scene.ledgerChain.provider.getBlockNumber();
    const at = (blockNumber: number) =>
      scene.records.set(proof.proofId, recordOf(proof, 'recorded', { txHash: proof.proofId, blockNumber }));
    at(block + 1);
    expect(faults(await scene.verify(exchange))).toEqual({
      inclusion: expect.stringMatching(
        /^unknown: the ledger does not have this inference yet: its node is at block/,
      ),
    });
    at(block);
    expect(faults(await scene.verify(exchange))).toEqual({
      inclusion: `false: the ledger does not have this inference, although the gateway says that block ${block} does`,
    });
  });

  test('nodes that are silent, and nodes that nobody named', async () => {
    const closed = 'http://127.0.0.1:9';
    const silent = await scene.verify(bought.batch, { ledgerRpcUrl: closed, chainRpcUrl: closed });
    expect(faults(silent)).toEqual({
      key: expect.stringMatching(/^unknown: the ledger's node did not answer: /),
      inclusion: expect.stringMatching(/^unknown: the ledger's node did not answer: /),
      payment: expect.stringMatching(/^unknown: the chain's node did not answer: /),
    });
    const { verifyExchange } = await import('./verify-exchange.ts');
    const unnamed = await verifyExchange(bought.batch, { gatewayUrl: null, clock: scene.clock });
    expect(faults(unnamed)).toEqual({
      key: 'unknown: no node of the ledger network was named',
      attestation: 'unknown: there is no attestation: no gateway was asked',
      inclusion: 'unknown: no node of the ledger network was named',
      payment: "unknown: no node of the payments' chain was named",
    });
  });

  test('an answer without a proof, which the contract does not ask for; unless the file has one that is gone', async () => {
    const { 'x-inference-proof': _, ...headers } = bought.batch.response.headers;
    const exchange = { ...bought.batch, response: { ...bought.batch.response, headers } };
    const verification = await scene.verify(exchange);
    expect(told(verification)).toMatchObject({
      hashes:
        'unknown: the answer carries no X-INFERENCE-PROOF: a gateway without proofs sends none, and one that was taken out looks the same',
      payment: expect.stringMatching(/^true/),
    });
    expect([verification.verdict, verification.ledger]).toEqual(['unknown', null]);
    const taken = await scene.verify({ ...exchange, attestation: enclave.boot });
    expect(faults(taken)['hashes']).toBe(
      'false: the answer carries no X-INFERENCE-PROOF, although the file has what the gateway said of it: it was taken out',
    );
  });

  test('evidence of a format that is not known', async () => {
    const attestation = { ...enclave.boot, format: 'tpm-quote' };
    expect(faults(await scene.verify({ ...bought.batch, attestation }))).toEqual({
      attestation: 'unknown: evidence of the format tpm-quote cannot be verified here',
    });
  });
});

describe('Fresh evidence', () => {
  const nonce = hexlify(randomBytes(32));

  test('answers the nonce of whoever asks', async () => {
    scene.fresh = (asked) => enclave.attest(asked);
    const verification = await scene.verify(bought.batch, { nonce });
    expect(told(verification)).toMatchObject({ freshness: expect.stringMatching(/^true: not a TEE/) });
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

  test('of another nonce is old evidence', async () => {
    scene.fresh = () => enclave.attest(changed(nonce));
    expect(faults(await scene.verify(bought.batch, { nonce }))).toEqual({
      freshness: expect.stringMatching(/^false: the attestation answers the nonce 0x.*, not 0x/),
    });
  });

  test('of another key says nothing of the one that signed', async () => {
    const next = await scene.enclave();
    scene.fresh = (asked) => next.attest(asked);
    expect(faults(await scene.verify(bought.batch, { nonce }))).toEqual({
      freshness: `unknown: the gateway has another key by now, ${next.key.address}`,
    });
  });
});
