import type { SavedExchange } from '@paid-inference/contract/types';
import { hexlify, randomBytes } from 'ethers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Enclave } from '../testing/enclave.ts';
import { recordOf, type Scene } from '../testing/proven.ts';
import { makePurchases, type Purchases } from '../testing/purchases.ts';
import { changed, faults, highForm, proofOf, withAnswerHeader, withProof } from '../testing/tamper.ts';

let scene: Scene;
let enclave: Enclave;
let bought: Purchases['bought'];

beforeAll(async () => {
  ({ scene, enclave, bought } = await makePurchases());
});
afterAll(() => scene[Symbol.asyncDispose]());

/** The record that the gateway gives of the batch's proof, changed for one verification. */
async function withRecord(change: object): Promise<Record<string, string>> {
  const { proofId } = proofOf(bought.batch);
  const record = scene.records.get(proofId);
  if (record === undefined) throw new Error('there is no record');
  scene.records.set(proofId, { ...record, ...change });
  try {
    return faults(await scene.verify(bought.batch));
  } finally {
    scene.records.set(proofId, record);
  }
}

const batchOf = (exchange: SavedExchange) => {
  const { batch } = scene.records.get(proofOf(exchange).proofId) ?? {};
  if (batch?.root == null || batch.path === null) throw new Error('not recorded');
  return { ...batch, root: batch.root, path: batch.path };
};

describe('A changed byte is found in', () => {
  const changes: readonly [string, (exchange: SavedExchange) => SavedExchange, Record<string, unknown>][] = [
    [
      'the request',
      ({ request, ...rest }) => ({
        ...rest,
        request: { ...request, body: request.body.replace('user', 'User') },
      }),
      { hashes: expect.stringMatching(/^false: the request is not the one that was proven: its hash is/) },
    ],
    [
      'the answer',
      ({ response, ...rest }) => ({
        ...rest,
        response: { ...response, body: response.body.replace('pong', 'pang') },
      }),
      { hashes: expect.stringMatching(/^false: the answer is not the one that was proven/) },
    ],
    [
      'the model of the proof',
      (exchange) => withProof(exchange, { modelHash: changed(proofOf(exchange).modelHash) }),
      {
        hashes: 'false: the proof is of another model than the request names',
        signature: expect.stringMatching(
          /^false: not signed by .*: the statement or the signature was changed$/,
        ),
        inclusion: 'false: what the ledger recorded under this id is another inference',
      },
    ],
    [
      'the time of the proof',
      (exchange) => withProof(exchange, { timestamp: proofOf(exchange).timestamp - 1 }),
      {
        signature: expect.stringMatching(/^false: not signed by/),
        inclusion: 'false: what the ledger recorded under this id is another inference',
      },
    ],
    [
      'its signature',
      (exchange) => {
        const { signature } = proofOf(exchange);
        return withProof(exchange, { signature: changed(signature.slice(0, 20)) + signature.slice(20) });
      },
      {
        signature: expect.stringMatching(/^false: (not signed by|the signature is none)/),
        inclusion: 'false: the signature in the record is not that of this proof',
      },
    ],
    [
      'the name of its evidence',
      (exchange) =>
        withProof(exchange, {
          attestation: { ...proofOf(exchange).attestation, evidenceHash: hexlify(randomBytes(32)) },
        }),
      {
        key: expect.stringMatching(/^false: the key is registered with other evidence/),
        attestation: expect.stringMatching(/^false: the evidence .* is not that of the proof/),
      },
    ],
    [
      'its header',
      (exchange) => withAnswerHeader(exchange, 'x-inference-proof', 'e30'),
      {
        hashes: expect.stringMatching(/^false: X-INFERENCE-PROOF must have required property/),
        signature: expect.stringMatching(/^unknown/),
        key: expect.stringMatching(/^unknown/),
        attestation: expect.stringMatching(/^unknown/),
        inclusion: expect.stringMatching(/^unknown/),
      },
    ],
  ];

  test.each(['00', '01', '1d', '23', 'ff'])('the form of its signature: %s as v', async (v) => {
    const { signature } = proofOf(bought.individual);
    const respelt = withProof(bought.individual, { signature: signature.slice(0, -2) + v });
    expect(faults(await scene.verify(respelt))).toMatchObject({
      signature: 'false: the signature is in none of the forms that the ledger takes: it was changed',
    });
  });

  test('the form of its signature: the higher s', async () => {
    const { signature } = proofOf(bought.individual);
    const verification = await scene.verify(withProof(bought.individual, { signature: highForm(signature) }));
    expect(faults(verification)['signature']).toMatch(/^false: the signature is in none of the forms/);
  });

  test('a name that a body has twice, whichever of the two the proof is of', async () => {
    const twice = (side: 'request' | 'response', body: string) => ({
      ...bought.private,
      [side]: { ...bought.private[side], body },
    });
    const { request, response } = bought.private;
    const asked = twice('request', request.body.replace('{', '{"mod\\u0065l":"other/other",'));
    expect(faults(await scene.verify(asked))).toEqual({
      hashes: 'false: the request has the name "model" twice in one object: no canonical JSON has',
    });
    const answered = twice('response', response.body.replace('"content":', '"content":"{",  "content" :'));
    expect(faults(await scene.verify(answered))).toEqual({
      hashes: 'false: the answer has the name "content" twice in one object: no canonical JSON has',
    });
  });

  test.each(['individual', 'batch'] as const)(
    'a kept record, %s: nothing in it verifies unseen',
    async (mode) => {
      const { exchange } = await scene.verify(bought[mode]);
      const { proof } = exchange;
      if (proof?.inclusion === undefined) throw new Error('nothing was kept');
      const keeping = async (change: object, gatewayUrl: string | null = null) =>
        faults(await scene.verify({ ...exchange, proof: { ...proof, ...change } }, { gatewayUrl }));
      const { inclusion, ledger } = proof;
      for (const other of [
        { txHash: changed(inclusion.txHash) },
        { blockNumber: inclusion.blockNumber + 1 },
      ]) {
        const change = { inclusion: { ...inclusion, ...other } };
        expect(await keeping(change)).toEqual({
          inclusion: expect.stringMatching(
            /^unknown: it is recorded, and not by the transaction 0x.* moved it$/,
          ),
        });
        expect(await keeping(change, scene.gatewayUrl)).toEqual({});
      }
      expect(await keeping({ signature: changed(proof.signature) })).toEqual({
        inclusion: 'false: the signature in the record is not that of this proof',
      });
      expect(await keeping({ ledger: { ...ledger, chainId: 5 } })).toEqual({
        inclusion: 'false: the ledger in the record is not that of this proof',
      });
      const refused = { ...exchange, proof: { ...proof, refusal: 'anything' } };
      expect((await scene.verify(refused, { gatewayUrl: null })).exchange.proof).toEqual(proof);
    },
  );

  test('the time of an attestation of software', async () => {
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
    const { leaf } = recordOf(proofOf(bought.batch), 'recorded');
    expect(await withRecord({ leaf: { ...leaf, outputHash: changed(leaf.outputHash) } })).toEqual({
      inclusion: 'false: the leaf in the record is not that of this proof',
    });
  });

  test('the leaf hash of the record', async () => {
    expect(await withRecord({ leafHash: hexlify(randomBytes(32)) })).toEqual({
      inclusion: 'false: the leaf hash in the record is not that of this proof',
    });
  });

  test('the path', async () => {
    const batch = batchOf(bought.batch);
    expect(await withRecord({ batch: { ...batch, path: batch.path.map(changed) } })).toEqual({
      inclusion: expect.stringMatching(/^false: the path does not lead from this proof to the root/),
    });
    expect(await withRecord({ batch: { ...batch, path: [] } })).toEqual({
      inclusion: expect.stringMatching(/^false: the path does not lead from this proof to the root/),
    });
  });

  test('the root, also where a path leads to it', async () => {
    const batch = batchOf(bought.batch);
    expect(await withRecord({ batch: { ...batch, root: changed(batch.root) } })).toEqual({
      inclusion: expect.stringMatching(/^false: the path does not lead/),
    });
    const { leafHash } = recordOf(proofOf(bought.batch), 'recorded');
    expect(await withRecord({ batch: { ...batch, root: leafHash, path: [] } })).toEqual({
      inclusion: expect.stringMatching(
        /^false: the ledger does not have a batch with the root .*, although the gateway/,
      ),
    });
  });

  test('the size of the batch', async () => {
    expect(await withRecord({ batch: { ...batchOf(bought.batch), size: 5 } })).toEqual({
      inclusion: "false: the batch has 4 inferences on the ledger, and 5 in the gateway's word",
    });
  });

  test('the evidence of the attestation', async () => {
    const evidence = Buffer.from(enclave.boot.evidence, 'base64');
    const other = Buffer.from(evidence.toString().replace('NOT A TEE', 'NOT A TEA')).toString('base64');
    const attestation = { ...enclave.boot, evidence: other };
    expect(faults(await scene.verify({ ...bought.batch, attestation }))).toEqual({
      attestation: 'false: the evidence is not the one that its hash names: one of them was changed',
    });
  });
});
