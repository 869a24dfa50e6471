import type { SavedExchange } from '@paid-inference/contract/types';
import { hexlify, randomBytes } from 'ethers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Enclave } from '../testing/enclave.ts';
import { createRecord, type Scene } from '../testing/proven.ts';
import { makePurchases, type Purchases } from '../testing/purchases.ts';
import { changed, decodeProof, faults, highForm, withProof, withResponseHeader } from '../testing/tamper.ts';

let scene: Scene;
let enclave: Enclave;
let bought: Purchases['bought'];

beforeAll(async () => {
  ({ scene, enclave, bought } = await makePurchases());
});
afterAll(() => scene[Symbol.asyncDispose]());

/** Verifies with a changed record of the batch's proof. */
async function withRecord(change: object): Promise<Record<string, string>> {
  const { proofId } = decodeProof(bought.batch);
  const record = scene.records.get(proofId);
  if (record === undefined) throw new Error('The gateway has no record');
  scene.records.set(proofId, { ...record, ...change });
  try {
    return faults(await scene.verify(bought.batch));
  } finally {
    scene.records.set(proofId, record);
  }
}

const readBatch = (exchange: SavedExchange) => {
  const { batch } = scene.records.get(decodeProof(exchange).proofId) ?? {};
  if (batch?.root == null || batch.path === null) throw new Error('The proof is not recorded');
  return { ...batch, root: batch.root, path: batch.path };
};

describe('The verification finds a change of', () => {
  const changes: readonly [string, (exchange: SavedExchange) => SavedExchange, Record<string, unknown>][] = [
    [
      'the request',
      ({ request, ...rest }) => ({
        ...rest,
        request: { ...request, body: request.body.replace('user', 'User') },
      }),
      { hashes: expect.stringMatching(/^false: the request is not the one of the proof: its hash is/) },
    ],
    [
      'the response',
      ({ response, ...rest }) => ({
        ...rest,
        response: { ...response, body: response.body.replace('pong', 'pang') },
      }),
      { hashes: expect.stringMatching(/^false: the response is not the one of the proof/) },
    ],
    [
      'the model of the proof',
      (exchange) => withProof(exchange, { modelHash: changed(decodeProof(exchange).modelHash) }),
      {
        hashes: 'false: the proof is for another model than the request',
        signature: expect.stringMatching(
          /^false: not signed by .*: the statement or the signature was changed$/,
        ),
        inclusion: 'false: the proof ledger has another inference under this id',
      },
    ],
    [
      'the time of the proof',
      (exchange) => withProof(exchange, { timestamp: decodeProof(exchange).timestamp - 1 }),
      {
        signature: expect.stringMatching(/^false: not signed by/),
        inclusion: 'false: the proof ledger has another inference under this id',
      },
    ],
    [
      'the signature of the proof',
      (exchange) => {
        const { signature } = decodeProof(exchange);
        return withProof(exchange, { signature: changed(signature.slice(0, 20)) + signature.slice(20) });
      },
      {
        signature: expect.stringMatching(/^false: (not signed by|no key can)/),
        inclusion: 'false: the signature in the record is not that of this proof',
      },
    ],
    [
      'the evidence hash of the proof',
      (exchange) =>
        withProof(exchange, {
          attestation: { ...decodeProof(exchange).attestation, evidenceHash: hexlify(randomBytes(32)) },
        }),
      {
        key: expect.stringMatching(/^false: the key is registered with other evidence/),
        attestation: expect.stringMatching(/^false: the evidence .* is not that of the proof/),
      },
    ],
    [
      'the header of the proof',
      (exchange) => withResponseHeader(exchange, 'x-inference-proof', 'e30'),
      {
        hashes: expect.stringMatching(/^false: X-INFERENCE-PROOF must have required property/),
        signature: expect.stringMatching(/^unknown/),
        key: expect.stringMatching(/^unknown/),
        attestation: expect.stringMatching(/^unknown/),
        inclusion: expect.stringMatching(/^unknown/),
      },
    ],
  ];

  test.each(['00', '01', '1d', '23', 'ff'])('the form of the signature: %s as v', async (v) => {
    const { signature } = decodeProof(bought.individual);
    const respelt = withProof(bought.individual, { signature: signature.slice(0, -2) + v });
    expect(faults(await scene.verify(respelt))).toMatchObject({
      signature: 'false: the signature has a form that the proof ledger rejects: it was changed',
    });
  });

  test('the form of the signature: the higher s', async () => {
    const { signature } = decodeProof(bought.individual);
    const verification = await scene.verify(withProof(bought.individual, { signature: highForm(signature) }));
    expect(faults(verification)['signature']).toMatch(/^false: the signature has a form that/);
  });

  test('a duplicate name in a body, whichever of the two values the proof has', async () => {
    const twice = (side: 'request' | 'response', body: string) => ({
      ...bought.private,
      [side]: { ...bought.private[side], body },
    });
    const { request, response } = bought.private;
    const asked = twice('request', request.body.replace('{', '{"mod\\u0065l":"other/other",'));
    expect(faults(await scene.verify(asked))).toEqual({
      hashes: 'false: the request has the name "model" twice in one object, which canonical JSON forbids',
    });
    const answered = twice('response', response.body.replace('"content":', '"content":"{",  "content" :'));
    expect(faults(await scene.verify(answered))).toEqual({
      hashes: 'false: the response has the name "content" twice in one object, which canonical JSON forbids',
    });
  });

  test.each(['individual', 'batch'] as const)('a kept record, %s, in each of its fields', async (mode) => {
    const { exchange } = await scene.verify(bought[mode]);
    const { proof } = exchange;
    if (proof?.inclusion === undefined) throw new Error('The exchange has no kept record');
    const keeping = async (change: object, gatewayUrl: string | null = null) =>
      faults(await scene.verify({ ...exchange, proof: { ...proof, ...change } }, { gatewayUrl }));
    const { inclusion, ledger } = proof;
    for (const other of [{ txHash: changed(inclusion.txHash) }, { blockNumber: inclusion.blockNumber + 1 }]) {
      const change = { inclusion: { ...inclusion, ...other } };
      expect(await keeping(change)).toEqual({
        inclusion: expect.stringMatching(
          /^unknown: the inference is recorded, but not by the transaction 0x.* moved the inference$/,
        ),
      });
      expect(await keeping(change, scene.gatewayUrl)).toEqual({});
    }
    expect(await keeping({ signature: changed(proof.signature) })).toEqual({
      inclusion: 'false: the signature in the record is not that of this proof',
    });
    expect(await keeping({ ledger: { ...ledger, chainId: 5 } })).toEqual({
      inclusion: 'false: the proof ledger in the record is not that of this proof',
    });
    const refused = { ...exchange, proof: { ...proof, refusal: 'anything' } };
    expect((await scene.verify(refused, { gatewayUrl: null })).exchange.proof).toEqual(proof);
  });

  test('the time of a software attestation', async () => {
    const attestation = { ...enclave.boot, issuedAt: enclave.boot.issuedAt + 1 };
    expect(faults(await scene.verify({ ...bought.batch, attestation }))).toEqual({
      attestation:
        'false: the attestation has another time than the software statement: one of them was changed',
    });
  });

  test.each(changes)('%s', async (_, change, expected) => {
    const verification = await scene.verify(change(bought.individual));
    expect(faults(verification)).toEqual(expected);
    expect(verification.verdict).toBe('false');
  });

  test('the leaf of the record', async () => {
    const { leaf } = createRecord(decodeProof(bought.batch), 'recorded');
    expect(await withRecord({ leaf: { ...leaf, outputHash: changed(leaf.outputHash) } })).toEqual({
      inclusion: 'false: the leaf in the record is not that of this proof',
    });
  });

  test('the leaf hash of the record', async () => {
    expect(await withRecord({ leafHash: hexlify(randomBytes(32)) })).toEqual({
      inclusion: 'false: the leaf hash in the record is not that of this proof',
    });
  });

  test('the Merkle path', async () => {
    const batch = readBatch(bought.batch);
    expect(await withRecord({ batch: { ...batch, path: batch.path.map(changed) } })).toEqual({
      inclusion: expect.stringMatching(/^false: the path does not lead from this proof to the root/),
    });
    expect(await withRecord({ batch: { ...batch, path: [] } })).toEqual({
      inclusion: expect.stringMatching(/^false: the path does not lead from this proof to the root/),
    });
  });

  test('the root, also when a path leads to it', async () => {
    const batch = readBatch(bought.batch);
    expect(await withRecord({ batch: { ...batch, root: changed(batch.root) } })).toEqual({
      inclusion: expect.stringMatching(/^false: the path does not lead/),
    });
    const { leafHash } = createRecord(decodeProof(bought.batch), 'recorded');
    expect(await withRecord({ batch: { ...batch, root: leafHash, path: [] } })).toEqual({
      inclusion: expect.stringMatching(
        /^false: the proof ledger does not have a batch with the root .*, although the gateway/,
      ),
    });
  });

  test('the size of the batch', async () => {
    expect(await withRecord({ batch: { ...readBatch(bought.batch), size: 5 } })).toEqual({
      inclusion: "false: the batch has 4 inferences on the proof ledger, but 5 in the gateway's record",
    });
  });

  test('the evidence of the attestation', async () => {
    const evidence = Buffer.from(enclave.boot.evidence, 'base64');
    const other = Buffer.from(evidence.toString().replace('NOT A TEE', 'NOT A TEA')).toString('base64');
    const attestation = { ...enclave.boot, evidence: other };
    expect(faults(await scene.verify({ ...bought.batch, attestation }))).toEqual({
      attestation: 'false: the evidence does not match its hash: one of them was changed',
    });
  });
});
