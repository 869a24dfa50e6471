import { headerNames } from '@paid-inference/contract/constants';
import { decodeInferenceProof } from '@paid-inference/contract/headers';
import type { InferenceProof, ProofRecord, SettlementType } from '@paid-inference/contract/types';
import canonicalize from 'canonicalize';
import { Contract, JsonRpcProvider, keccak256, toUtf8Bytes } from 'ethers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import artifact from '../contracts/artifacts/InferenceLedger.json' with { type: 'json' };
import { startTestGateway, type TestGateway } from '../testing/gateway.ts';
import { chatBody, chatPath, decodeOffer, paymentFor, post } from '../testing/payer.ts';

// Tests what the three settlement types record (contract §4.3), from events read without the gateway's own
// code.

let gateway: TestGateway;
let provider: JsonRpcProvider;
let ledger: Contract;

beforeAll(async () => {
  const quick = { proofBatchMax: 4, proofBatchAgeSeconds: 3_600, proofPollMs: 20 };
  gateway = await startTestGateway(quick);
  const { rpcUrl, chainId, contract } = gateway.devnet.ledger;
  provider = new JsonRpcProvider(rpcUrl, chainId, { staticNetwork: true, cacheTimeout: -1 });
  ledger = new Contract(contract, artifact.abi, provider);
});
afterAll(async () => {
  provider?.destroy();
  await gateway?.stop();
});

type Exchange = { readonly request: object; readonly response: object; readonly proof: InferenceProof };

async function buy(settlementType: SettlementType | null): Promise<Exchange> {
  const chat = `${gateway.url}${chatPath}`;
  const request = { ...chatBody, messages: [{ role: 'user', content: `${settlementType} ${Math.PI}` }] };
  const header = settlementType && { [headerNames.settlementType]: settlementType };
  const payment = await paymentFor(decodeOffer(await post(chat, request)), gateway.devnet.payer.privateKey);
  const response = await post(chat, request, { ...payment, ...header });
  expect(response.status).toBe(200);
  const proof = decodeInferenceProof(response.headers.get(headerNames.inferenceProof) ?? '');
  if (!proof.ok) throw new Error(proof.message);
  return { request, response: response.body, proof: proof.value };
}

/** Reads all record events of the contract, as names and values. */
async function recorded(): Promise<readonly (readonly unknown[])[]> {
  const logs = await ledger.queryFilter('*', 0, 'latest');
  return logs
    .map((log) => ledger.interface.parseLog(log))
    .filter((event) => event?.name.endsWith('Recorded'))
    .map((event) => [event?.name, ...(event?.args ?? [])]);
}

async function fetchRecord({ proofId }: InferenceProof): Promise<ProofRecord | null> {
  const response = await fetch(`${gateway.url}/v1/proofs/${proofId}`);
  return response.status === 200 ? ((await response.json()) as ProofRecord) : null;
}

const patience = { timeout: 10_000 } as const;
const hashBody = (body: object) => keccak256(toUtf8Bytes(canonicalize(body) ?? ''));

describe('The records on the proof ledger by X-SETTLEMENT-TYPE (contract §4.3)', () => {
  it('individual: the hashes of the exchange; private: nothing', async () => {
    const hidden = await buy('private');
    const { request, response, proof } = await buy('individual');
    await expect.poll(recorded, patience).toHaveLength(1);
    const [[name, proofId, signer, inputHash, outputHash, modelHash, timestamp, signature] = []] =
      await recorded();
    expect([name, proofId]).toEqual(['InferenceRecorded', proof.proofId]);
    expect([inputHash, outputHash]).toEqual([hashBody(request), hashBody(response)]);
    expect(modelHash).toBe(keccak256(toUtf8Bytes(chatBody.model)));
    expect(timestamp).toBe(BigInt(proof.timestamp));
    expect([String(signer).toLowerCase(), signature]).toEqual([proof.signer, proof.signature]);
    await expect.poll(() => fetchRecord(proof), patience).toMatchObject({ status: 'recorded' });
    // The gateway has no record of the private inference, although its buyer has a proof.
    expect(await fetchRecord(hidden.proof)).toBe(null);
    expect(JSON.stringify(await recorded(), (_, value) => String(value))).not.toContain(hidden.proof.proofId);
  });

  it('batch, also by default: only one root, which includes every proof', async () => {
    const before = (await recorded()).length;
    const bought = [await buy('batch'), await buy(null), await buy('batch'), await buy(null)];
    await expect.poll(async () => (await recorded()).length, patience).toBe(before + 1);
    const [name, root, , size] = (await recorded()).at(-1) ?? [];
    expect([name, size]).toEqual(['BatchRecorded', 4n]);
    for (const { proof } of bought) {
      await expect
        .poll(() => fetchRecord(proof), patience)
        .toMatchObject({ status: 'recorded', batch: { root } });
      const record = await fetchRecord(proof);
      const holds = ledger.getFunction('verifyInBatch');
      expect(await holds(root, proof, record?.batch?.path)).toBe(true);
      const other = { ...proof, outputHash: hashBody(record ?? {}) };
      expect(await holds(root, other, record?.batch?.path)).toBe(false);
      expect(await ledger.getFunction('isRecorded')(proof.proofId)).toBe(false);
    }
  });
});
