import { inferenceLedgerAbi } from '@paid-inference/contract/ledger';
import { Contract, JsonRpcProvider, Wallet } from 'ethers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../testing/gateway.ts';
import { chatBody, chatPath, decodeOffer, decodeProof, paymentFor, post } from '../testing/payer.ts';

let gateway: TestGateway;
let chat: string;

beforeAll(async () => {
  gateway = await startTestGateway({ maintenanceMs: 50, proofPollMs: 20, proofBatchAgeSeconds: 1 });
  chat = `${gateway.url}${chatPath}`;
});
afterAll(() => gateway.stop());

const patience = { timeout: 15_000 } as const;

async function payment(): Promise<Record<string, string>> {
  return paymentFor(decodeOffer(await post(chat, chatBody)), gateway.devnet.payer.privateKey);
}

async function readiness() {
  const response = await fetch(`${gateway.url}/ready`);
  const { checks } = (await response.json()) as { checks: readonly { readonly name: string }[] };
  return { status: response.status, proofs: checks.find(({ name }) => name === 'proofs') };
}

async function revoke(signer: string): Promise<void> {
  const { rpcUrl, chainId, contract, adminKey } = gateway.devnet.ledger;
  const provider = new JsonRpcProvider(rpcUrl, chainId, { staticNetwork: true, cacheTimeout: -1 });
  const ledger = new Contract(contract, inferenceLedgerAbi, new Wallet(adminKey, provider));
  const sent = await ledger.getFunction('revokeEnclaveKey')(signer);
  await sent.wait();
  provider.destroy();
}

it('A revoked key sells, reserves and charges nothing; paid completions are still replayed (D-90)', async () => {
  const bought = await payment();
  const first = await post(chat, chatBody, bought);
  expect(first.status).toBe(200);
  const { signer } = decodeProof(first);
  // The store must register the key before it is revoked.
  await expect.poll(readiness, patience).toEqual({ status: 200, proofs: { name: 'proofs', ready: true } });
  const record = () =>
    fetch(`${gateway.url}/v1/proofs/${decodeProof(first).proofId}`).then((told) => told.json());
  await expect.poll(record, patience).toMatchObject({ status: 'recorded' });
  await revoke(signer);
  await expect.poll(readiness, patience).toMatchObject({
    status: 503,
    proofs: { ready: false, detail: expect.stringContaining(`${signer} was revoked on the proof ledger`) },
  });
  const before = await gateway.balanceOf(gateway.devnet.payTo);
  const { runs } = gateway.engine;
  for (const mode of ['private', 'individual', 'batch']) {
    const headers = { 'X-SETTLEMENT-TYPE': mode };
    const header = await paymentFor(
      decodeOffer(await post(chat, chatBody, headers)),
      gateway.devnet.payer.privateKey,
    );
    // Sent twice: the reservation of the first request was released.
    for (let time = 0; time < 2; time++) {
      const refused = await post(chat, chatBody, { ...headers, ...header });
      expect([refused.status, refused.body.error.code], mode).toEqual([503, 'unavailable']);
      expect(refused.headers.get('retry-after'), mode).not.toBeNull();
    }
  }
  expect(gateway.engine.runs).toBe(runs);
  expect(await gateway.balanceOf(gateway.devnet.payTo)).toBe(before);
  const again = await post(chat, chatBody, bought);
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
  expect(decodeProof(again)).toEqual(decodeProof(first));
});
