import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { headerNames } from '@paid-inference/contract/constants';
import { inferenceProofTypes } from '@paid-inference/contract/eip712';
import type { Attestation, InferenceProof, SettlementType } from '@paid-inference/contract/types';
import canonicalize from 'canonicalize';
import { id, verifyTypedData } from 'ethers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createCountingEngine, pong } from '../testing/counting-engine.ts';
import { startTestGateway, type TestGateway } from '../testing/gateway.ts';
import {
  chatBody,
  chatPath,
  decodeOffer,
  decodeProof,
  paymentFor,
  post,
  type ReceivedResponse,
  textPath,
} from '../testing/payer.ts';
import { manualClock, systemClock } from '../types/clock.ts';
import { fail, ok } from '../types/result.ts';

const modes = ['private', 'individual', 'batch'] as const satisfies readonly SettlementType[];
const clock = manualClock(systemClock.nowSeconds());
let gateway: TestGateway;
let chat: string;

beforeAll(async () => {
  gateway = await startTestGateway({ privateCompletionKeepSeconds: 0 }, clock);
  chat = `${gateway.url}${chatPath}`;
});
afterAll(() => gateway.stop());
beforeEach(() => {
  gateway.engine.answering = createCountingEngine().answering;
});

async function buy(body: object, mode: SettlementType | null = null, url = chat): Promise<ReceivedResponse> {
  const headers: Record<string, string> = mode === null ? {} : { [headerNames.settlementType]: mode };
  const offer = decodeOffer(await post(url, body, headers));
  return post(url, body, { ...headers, ...(await paymentFor(offer, gateway.devnet.payer.privateKey)) });
}

describe('D-68: the proof of a paid response', () => {
  it.each(modes)('lets a client recover its signer from the header alone, in %s mode', async (mode) => {
    const response = await buy(chatBody, mode);
    const proof = decodeProof(response);
    expect(response.status).toBe(200);
    expect(recoverSigner(proof)).toBe(proof.signer);
    const { chainId, contract } = gateway.devnet.ledger;
    expect(proof).toMatchObject({
      inputHash: hashBody(chatBody),
      outputHash: hashBody(response.body),
      modelHash: id(chatBody.model),
      timestamp: clock.nowSeconds(),
      settlementType: mode,
      canonicalization: 'jcs-rfc8785',
      attestation: { provider: 'software', hardware: false },
      ledger: { name: 'InferenceLedger', version: '1', chainId, verifyingContract: contract },
    });
  });

  it('is in batch mode when no mode is requested (§4.3)', async () => {
    expect(decodeProof(await buy(chatBody)).settlementType).toBe('batch');
  });

  it('covers the body as received: nothing added, nothing left out, in any key order', async () => {
    const body = {
      max_tokens: 8,
      unknown: { n: 1e21 },
      stop: null,
      messages: chatBody.messages,
      model: chatBody.model,
    };
    const reordered = Object.fromEntries(Object.entries(body).reverse());
    expect(decodeProof(await buy(body)).inputHash).toBe(hashBody(reordered));
    expect(decodeProof(await buy({ ...body, max_tokens: 9 })).inputHash).not.toBe(hashBody(body));
    const { max_tokens: _, ...without } = body;
    expect(decodeProof(await buy(without)).inputHash).toBe(hashBody(without));
  });

  it('covers a text completion too', async () => {
    const body = { model: chatBody.model, prompt: 'Once 🙂' };
    const response = await buy(body, null, `${gateway.url}${textPath}`);
    expect(decodeProof(response)).toMatchObject({
      inputHash: hashBody(body),
      outputHash: hashBody(response.body),
    });
  });

  it('is new when the same request is bought again', async () => {
    const [first, second] = [decodeProof(await buy(chatBody)), decodeProof(await buy(chatBody))];
    expect(second.proofId).not.toBe(first.proofId);
    expect(second.inputHash).toBe(first.inputHash);
  });

  it('is missing in every other response: offers and failed inferences', async () => {
    gateway.engine.answering = () => Promise.resolve(fail({ kind: 'failed', detail: 'broken' }));
    for (const response of [await post(chat, chatBody), await buy(chatBody)]) {
      expect(response.status).not.toBe(200);
      expect(response.headers.get(headerNames.inferenceProof)).toBeNull();
    }
  });

  it('is valid even if an engine wrote half a surrogate pair, which is replaced before signing', async () => {
    gateway.engine.answering = (task) => {
      const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
      return Promise.resolve(
        ok(
          task.kind === 'text' ? { kind: 'text', text: 'a\ud800b', finishReason: 'stop', usage } : pong(task),
        ),
      );
    };
    const body = { model: chatBody.model, prompt: 'Once' };
    const response = await buy(body, null, `${gateway.url}${textPath}`);
    expect(response.body.choices[0].text).toBe('a\ufffdb');
    expect(decodeProof(response).outputHash).toBe(hashBody(response.body));
  });

  it('has other hashes when one byte of either body differs', async () => {
    const response = await buy(chatBody);
    const proof = decodeProof(response);
    const changed = JSON.parse(JSON.stringify(response.body).replace('pong', 'pang'));
    expect(hashBody(changed)).not.toBe(proof.outputHash);
    expect(hashBody({ ...chatBody, model: 'alder/alder-mini ' })).not.toBe(proof.inputHash);
  });
});

describe('D-19, D-68: the same payment gets the same proof again', () => {
  it.each(['individual', 'batch'] as const)('in %s mode, at the same time and later', async (mode) => {
    const headers = { [headerNames.settlementType]: mode };
    const offer = decodeOffer(await post(chat, chatBody, headers));
    const payment = { ...headers, ...(await paymentFor(offer, gateway.devnet.payer.privateKey)) };
    const together = await Promise.all([1, 2, 3].map(() => post(chat, chatBody, payment)));
    const later = await post(chat, chatBody, payment);
    expect(later.headers.get(headerNames.idempotentReplayed)).toBe('true');
    expect(new Set([...together, later].map((each) => decodeProof(each).proofId)).size).toBe(1);
    expect(decodeProof(later)).toEqual(decodeProof(together[0] ?? later));
  });
});

describe('§4.3 private: after delivery the gateway keeps no hash, no row and no completion', () => {
  const secret = { ...chatBody, messages: [{ role: 'user', content: 'a prompt that stays private' }] };

  it('the store keeps none of them in a row or elsewhere in its file', async () => {
    const response = await buy(secret, 'private');
    const { proofId, inputHash, outputHash, signature } = decodeProof(response);
    const kept = 'SELECT completion, proof, fingerprint FROM payment ORDER BY id DESC LIMIT 1';
    await expect.poll(() => rows(kept)).toEqual([{ completion: null, proof: null, fingerprint: '' }]);
    expect(rows(`SELECT 1 FROM proof WHERE proof_id = '${proofId}'`)).toEqual([]);
    const files = ['', '-wal'].map((end) => readFileSync(`${gateway.storeFile}${end}`));
    const words = [proofId, inputHash, outputHash, signature, 'stays private', response.body.id];
    for (const word of words)
      expect(
        files.some((bytes) => bytes.includes(word)),
        word,
      ).toBe(false);
    expect(await proofStatus(proofId)).toBe(404);
  });

  it('a repeated payment learns that its completion is no longer kept', async () => {
    const headers = { [headerNames.settlementType]: 'private' };
    const offer = decodeOffer(await post(chat, secret, headers));
    const payment = { ...headers, ...(await paymentFor(offer, gateway.devnet.payer.privateKey)) };
    expect((await post(chat, secret, payment)).status).toBe(200);
    await expect
      .poll(() => post(chat, secret, payment))
      .toMatchObject({
        status: 402,
        body: { message: expect.stringContaining('no longer kept') },
      });
  });

  it('by default the gateway replays the completion for some time, because the connection may have broken (D-51)', async () => {
    await using patient = new AsyncDisposableStack();
    const other = await startTestGateway({}, clock);
    patient.defer(() => other.stop());
    const headers = { [headerNames.settlementType]: 'private' };
    const url = `${other.url}${chatPath}`;
    const offer = decodeOffer(await post(url, secret, headers));
    const payment = { ...headers, ...(await paymentFor(offer, other.devnet.payer.privateKey)) };
    const first = await post(url, secret, payment);
    const again = await post(url, secret, payment);
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get(headerNames.idempotentReplayed)).toBe('true');
  });

  it('in individual mode the store keeps the hashes, and neither prompt nor completion', async () => {
    const response = await buy(secret, 'individual');
    const { proofId, inputHash, outputHash } = decodeProof(response);
    expect(rows(`SELECT input_hash, output_hash FROM proof WHERE proof_id = '${proofId}'`)).toEqual([
      { input_hash: inputHash, output_hash: outputHash },
    ]);
    const files = ['', '-wal'].map((end) => readFileSync(`${gateway.storeFile}${end}`));
    for (const word of ['stays private', response.body.id])
      expect(
        files.some((bytes) => bytes.includes(word)),
        word,
      ).toBe(false);
    expect(await proofStatus(proofId)).toBe(200);
  });

  async function proofStatus(proofId: string): Promise<number> {
    return (await fetch(`${gateway.url}/v1/proofs/${proofId}`)).status;
  }

  function rows(sql: string): unknown[] {
    const database = new DatabaseSync(gateway.storeFile, { readOnly: true });
    try {
      return database
        .prepare(sql)
        .all()
        .map((row) => ({ ...row }));
    } finally {
      database.close();
    }
  }
});

describe('GET /v1/attestation', () => {
  it('returns the evidence for the signer of proofs, fresh for a nonce', async () => {
    const proof = decodeProof(await buy(chatBody));
    const ask = async (query: string) =>
      (await (await fetch(`${gateway.url}/v1/attestation?${query}`)).json()) as Attestation;
    const boot = await ask('');
    expect(boot).toMatchObject({ signer: proof.signer, ledger: proof.ledger, hardware: false });
    expect(boot.evidenceHash).toBe(proof.attestation.evidenceHash);
    expect(await ask(`signer=${proof.signer}`)).toEqual(boot);
    const nonce = `0x${'ab'.repeat(32)}`;
    const fresh = await ask(`nonce=${nonce}`);
    expect(fresh).toMatchObject({ nonce, signer: proof.signer });
    expect(fresh.evidence).not.toBe(boot.evidence);
  });
});

/** An independent implementation of the hash. */
function hashBody(body: unknown): string {
  return id(canonicalize(body) ?? '');
}

function recoverSigner({ ledger, signature, ...proof }: InferenceProof): string {
  const { proofId, inputHash, outputHash, modelHash, timestamp, settlementType } = proof;
  const statement = { proofId, inputHash, outputHash, modelHash, timestamp, settlementType };
  return verifyTypedData(ledger, inferenceProofTypes, statement, signature).toLowerCase();
}
