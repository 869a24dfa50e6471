import type { SettlementType } from '@paid-inference/contract/types';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Enclave } from '../testing/enclave.ts';
import type { Scene } from '../testing/proven.ts';
import { makePurchases, type Purchases } from '../testing/purchases.ts';
import { faults, proofOf, told, withProof } from '../testing/tamper.ts';

let scene: Scene;
let enclave: Enclave;
let bought: Purchases['bought'];

beforeAll(async () => {
  ({ scene, enclave, bought } = await makePurchases());
});
afterAll(() => scene[Symbol.asyncDispose]());

describe('An exchange that sold no inference is named, whatever was proven:', () => {
  const at = (path: string) => ({
    ...bought.batch,
    request: { ...bought.batch.request, url: `${scene.gatewayUrl}${path}` },
  });
  const answered = (status: number, body = bought.batch.response.body) => ({
    ...bought.batch,
    response: { ...bought.batch.response, status, body },
  });

  test('by its status, its endpoint, or a body that belongs to the other endpoint', async () => {
    expect(faults(await scene.verify(answered(402)))).toEqual({
      hashes: 'false: the answer has the status 402, and inference that was sold is answered 200',
    });
    expect(faults(await scene.verify(at('/v1/models')))).toEqual({
      hashes:
        'false: no inference is sold at POST /v1/models: that is at POST /v1/chat/completions and POST /v1/completions',
    });
    expect(faults(await scene.verify(at('/v1/completions')))).toEqual({
      hashes: 'false: the answer is a chat.completion, and /v1/completions answers with a text_completion',
    });
  });

  test('beside a body that was changed, and also without a proof', async () => {
    const body = bought.batch.response.body.replace('pong', 'pang');
    expect(faults(await scene.verify(answered(503, body)))).toEqual({
      hashes: expect.stringMatching(/^false: the answer has the status 503, .*; the answer is not the one/),
    });
    const refused = { ...answered(402), response: { status: 402, headers: {}, body: '{}' } };
    const verification = await scene.verify(refused);
    expect([verification.verdict, told(verification)]).toEqual([
      'false',
      expect.objectContaining({
        hashes: expect.stringMatching(/^false: the answer has the status 402/),
        payment: expect.stringMatching(/^false: the answer carries no X-PAYMENT-RESPONSE/),
      }),
    ]);
  });
});

describe('A mode that was changed afterwards is named, whoever is silent:', () => {
  const relabelled = (from: SettlementType, to: SettlementType) => {
    const { request, ...rest } = withProof(bought[from], { settlementType: to });
    return { ...rest, request: { ...request, headers: { ...request.headers, 'x-settlement-type': to } } };
  };

  test.each([
    ['batch', 'private'],
    ['batch', 'individual'],
    ['individual', 'private'],
    ['individual', 'batch'],
    ['private', 'batch'],
  ] as const)('%s into %s', async (from, to) => {
    const { proofId } = proofOf(bought[from]);
    const record = scene.records.get(proofId);
    const expected = {
      signature: `false: signed for ${from}, and the proof says ${to}: the mode was changed`,
      inclusion: `unknown: not asked: the proof was signed for ${from}`,
    };
    expect(faults(await scene.verify(relabelled(from, to)))).toEqual(expected);
    const attestation = enclave.boot;
    const alone = await scene.verify({ ...relabelled(from, to), attestation }, { gatewayUrl: null });
    expect([alone.verdict, faults(alone)]).toEqual(['false', expected]);
    scene.records.delete(proofId);
    expect(faults(await scene.verify(relabelled(from, to)))).toEqual(expected);
    if (record) scene.records.set(proofId, record);
  });
});
