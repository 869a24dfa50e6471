import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { manualClock } from '../testing/clock.ts';
import { createEnclave, type Enclave } from '../testing/enclave.ts';
import { startTestNode } from '../testing/node.ts';
import { createRecord, type Scene, setScene } from '../testing/proven.ts';
import { decodeProof, faults, listSteps } from '../testing/tamper.ts';

// An honest step is unknown while a chain lacks its data, and false once the chain has later blocks.

let scene: Scene;
let enclave: Enclave;

beforeAll(async () => {
  scene = await setScene();
  enclave = await scene.enclave();
});
afterAll(() => scene[Symbol.asyncDispose]());

describe('An unregistered key', () => {
  async function unregistered(settlementType: 'private' | 'individual') {
    const made = await createEnclave(scene.ledger);
    const exchange = { ...(await scene.exchange(made, settlementType)), attestation: made.boot };
    return { exchange, proof: decodeProof(exchange), address: made.key.address };
  }

  test("is unknown while the gateway's record of this proof is pending or refused", async () => {
    const { exchange, proof, address } = await unregistered('individual');
    scene.records.set(proof.proofId, createRecord(proof, 'pending'));
    expect(faults(await scene.verify(exchange))).toMatchObject({
      key: `unknown: the key ${address} is not registered on the proof ledger yet: the gateway says that the proof is pending`,
    });
    const refusal = 'the signer is unknown';
    scene.records.set(proof.proofId, { ...createRecord(proof, 'refused'), refusal });
    expect(faults(await scene.verify(exchange))).toMatchObject({
      key: `unknown: the key ${address} is not registered on the proof ledger yet: the gateway says that the ledger refuses the proof: the signer is unknown`,
    });
  });

  test('is false when the record is final, missing or of another proof', async () => {
    const { exchange, proof, address } = await unregistered('individual');
    const key = `false: the key ${address} is not registered on the proof ledger`;
    expect(faults(await scene.verify(exchange))).toMatchObject({ key });
    const other = await unregistered('individual');
    scene.records.set(proof.proofId, createRecord(other.proof, 'pending'));
    expect(faults(await scene.verify(exchange))).toMatchObject({ key });
    const blockNumber = await scene.ledgerChain.provider.getBlockNumber();
    const at = (block: number) =>
      createRecord(proof, 'recorded', { txHash: proof.proofId, blockNumber: block });
    scene.records.set(proof.proofId, at(blockNumber));
    expect(faults(await scene.verify(exchange))).toMatchObject({ key });
    scene.records.set(proof.proofId, at(blockNumber + 1));
    expect(faults(await scene.verify(exchange))['key']).toMatch(/^unknown: .* yet: the node is at block/);
  });

  test('is unknown for 30 seconds after the inference', async () => {
    const { exchange, proof, address } = await unregistered('private');
    const { timestamp } = proof;
    const after = (seconds: number) => scene.verify(exchange, { clock: manualClock(timestamp + seconds) });
    const key = `the key ${address} is not registered on the proof ledger`;
    expect(faults(await after(29))).toEqual({
      key: `unknown: ${key} yet: the inference is only seconds old`,
    });
    expect(faults(await after(30))).toEqual({ key: `false: ${key}` });
    expect(faults(await after(-30))).toEqual({ key: `false: ${key}` });
  });
});

describe("A payment that the chain's node lacks", () => {
  /** A node without this payment whose newest block has this time. */
  const behind = (timestamp: () => number, knows: () => boolean = () => false) =>
    startTestNode(scene.paymentChain.url, async ({ method }, upstream) => {
      if (knows()) return upstream();
      if (method === 'eth_getTransactionReceipt') return null;
      if (method === 'eth_getLogs') return [];
      const found = await upstream();
      const isBlock = method === 'eth_getBlockByNumber' && typeof found === 'object';
      return isBlock ? { ...found, timestamp: `0x${timestamp().toString(16)}` } : found;
    });

  test('is unknown until the node has blocks of one minute after the inference', async () => {
    const exchange = await scene.exchange(enclave, 'private');
    const { timestamp } = decodeProof(exchange);
    let now = timestamp + 59;
    await using node = await behind(() => now);
    const verify = async () => listSteps(await scene.verify(exchange, { chainRpcUrl: node.url }))['payment'];
    expect(await verify()).toMatch(/^unknown: the chain has no transaction 0x.* yet: its node is at block/);
    now += 1;
    expect(await verify()).toMatch(/^false: the chain has no transaction 0x[0-9a-f]{64}$/);
  });

  test('is found within waitSeconds', async () => {
    const exchange = await scene.exchange(enclave, 'private');
    const { timestamp } = decodeProof(exchange);
    let knows = false;
    await using node = await behind(
      () => timestamp,
      () => knows,
    );
    const clock = {
      ...manualClock(),
      waitMs: async () => {
        knows = true;
      },
    };
    const given = { chainRpcUrl: node.url, waitSeconds: 5, clock };
    expect(faults(await scene.verify(exchange, given))).toEqual({});
  });

  test('is true when the node gets the transaction between two calls', async () => {
    const exchange = await scene.exchange(enclave, 'private');
    let asked = 0;
    await using node = await startTestNode(scene.paymentChain.url, async ({ method }, upstream) => {
      if (method !== 'eth_getTransactionReceipt') return upstream();
      asked += 1;
      return asked === 1 ? null : upstream();
    });
    expect(faults(await scene.verify(exchange, { chainRpcUrl: node.url }))).toEqual({});
  });
});

describe('A record that arrives between two calls of the node', () => {
  test('is unknown, and true in the next verification', async () => {
    const exchange = await scene.exchange(enclave, 'individual');
    const proof = decodeProof(exchange);
    const next = (await scene.ledgerChain.provider.getBlockNumber()) + 1;
    scene.records.set(
      proof.proofId,
      createRecord(proof, 'recorded', { txHash: proof.proofId, blockNumber: next }),
    );
    let calls = 0;
    await using node = await startTestNode(scene.ledgerChain.url, async ({ method }, upstream) => {
      const found = await upstream();
      // The first call of the contract is isRecorded.
      if (method === 'eth_call') calls += 1;
      if (method === 'eth_call' && calls === 1) await scene.record(proof);
      return found;
    });
    const early = await scene.verify(exchange, { ledgerRpcUrl: node.url });
    expect(faults(early)['inclusion']).toMatch(
      /^unknown: .* its node is at block \d+, but the record is in block/,
    );
    expect(calls).toBeGreaterThan(1);
    expect(faults(await scene.verify(exchange))).toEqual({});
  });

  test('is found within waitSeconds when another node of the same address has it', async () => {
    const exchange = await scene.exchange(enclave, 'individual');
    const proof = decodeProof(exchange);
    const blockNumber = await scene.ledgerChain.provider.getBlockNumber();
    scene.records.set(proof.proofId, createRecord(proof, 'recorded', { txHash: proof.proofId, blockNumber }));
    const clock = { ...scene.clock, waitMs: () => scene.record(proof) };
    expect(faults(await scene.verify(exchange, { waitSeconds: 5, clock }))).toEqual({});
  });
});
