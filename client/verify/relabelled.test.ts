import type { SettlementType } from '@paid-inference/contract/types';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Enclave } from '../testing/enclave.ts';
import type { Scene } from '../testing/proven.ts';
import { makePurchases, type Purchases } from '../testing/purchases.ts';
import { decodeProof, faults, listSteps, withProof } from '../testing/tamper.ts';

let scene: Scene;
let enclave: Enclave;
let bought: Purchases['bought'];

beforeAll(async () => {
  ({ scene, enclave, bought } = await makePurchases());
});
afterAll(() => scene[Symbol.asyncDispose]());

describe('An exchange that sold no inference is false, even with a valid proof:', () => {
  const at = (path: string) => ({
    ...bought.batch,
    request: { ...bought.batch.request, url: `${scene.gatewayUrl}${path}` },
  });
  const answered = (status: number, body = bought.batch.response.body) => ({
    ...bought.batch,
    response: { ...bought.batch.response, status, body },
  });

  test('for its status, its endpoint, or a body of the other endpoint', async () => {
    expect(faults(await scene.verify(answered(402)))).toEqual({
      hashes: 'false: the response has status 402, but a sold inference has status 200',
    });
    expect(faults(await scene.verify(at('/v1/models')))).toEqual({
      hashes:
        'false: POST /v1/models sells no inference: POST /v1/chat/completions and POST /v1/completions do',
    });
    expect(faults(await scene.verify(at('/v1/completions')))).toEqual({
      hashes: 'false: the response is a chat.completion, but /v1/completions returns a text_completion',
    });
  });

  test('also with a changed body, and without a proof', async () => {
    const body = bought.batch.response.body.replace('pong', 'pang');
    expect(faults(await scene.verify(answered(503, body)))).toEqual({
      hashes: expect.stringMatching(/^false: the response has status 503, .*; the response is not the one/),
    });
    const refused = { ...answered(402), response: { status: 402, headers: {}, body: '{}' } };
    const verification = await scene.verify(refused);
    expect([verification.verdict, listSteps(verification)]).toEqual([
      'false',
      expect.objectContaining({
        hashes: expect.stringMatching(/^false: the response has status 402/),
        payment: expect.stringMatching(/^false: the response has no X-PAYMENT-RESPONSE/),
      }),
    ]);
  });
});

describe('A settlement type that was changed is named, with and without the gateway:', () => {
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
    const { proofId } = decodeProof(bought[from]);
    const record = scene.records.get(proofId);
    const expected = {
      signature: `false: signed for ${from}, but the proof says ${to}: the settlement type was changed`,
      inclusion: `unknown: not checked: the signature is for ${from}`,
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
