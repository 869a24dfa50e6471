import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { manualClock } from '../testing/clock.ts';
import { createEnclave, type Enclave } from '../testing/enclave.ts';
import { startTestNode } from '../testing/node.ts';
import { recordOf, type Scene, setScene } from '../testing/proven.ts';
import { faults, proofOf, told } from '../testing/tamper.ts';

// What is honest and only not there yet is unknown. It is false once the chain has got past it.

let scene: Scene;
let enclave: Enclave;

beforeAll(async () => {
  scene = await setScene();
  enclave = await scene.enclave();
});
afterAll(() => scene[Symbol.asyncDispose]());

describe('A key that is not registered', () => {
  async function stranger(settlementType: 'private' | 'individual') {
    const made = await createEnclave(scene.ledger);
    const exchange = { ...(await scene.exchange(made, settlementType)), attestation: made.boot };
    return { exchange, proof: proofOf(exchange), address: made.key.address };
  }

  test('cannot be told while the gateway says that just this proof waits for the ledger', async () => {
    const { exchange, proof, address } = await stranger('individual');
    scene.records.set(proof.proofId, recordOf(proof, 'pending'));
    expect(faults(await scene.verify(exchange))).toMatchObject({
      key: `unknown: the key ${address} is not registered on the ledger yet: the gateway says that the proof is pending`,
    });
    const refusal = 'the signer is unknown';
    scene.records.set(proof.proofId, { ...recordOf(proof, 'refused'), refusal });
    expect(faults(await scene.verify(exchange))).toMatchObject({
      key: `unknown: the key ${address} is not registered on the ledger yet: the gateway says that the ledger refuses the proof: the signer is unknown`,
    });
  });

  test('is false where the gateway says that it is recorded, says nothing, or speaks of another proof', async () => {
    const { exchange, proof, address } = await stranger('individual');
    const key = `false: the key ${address} is not registered on the ledger`;
    expect(faults(await scene.verify(exchange))).toMatchObject({ key });
    const other = await stranger('individual');
    scene.records.set(proof.proofId, recordOf(other.proof, 'pending'));
    expect(faults(await scene.verify(exchange))).toMatchObject({ key });
    const blockNumber = await scene.ledgerChain.provider.getBlockNumber();
    const at = (block: number) => recordOf(proof, 'recorded', { txHash: proof.proofId, blockNumber: block });
    scene.records.set(proof.proofId, at(blockNumber));
    expect(faults(await scene.verify(exchange))).toMatchObject({ key });
    scene.records.set(proof.proofId, at(blockNumber + 1));
    expect(faults(await scene.verify(exchange))['key']).toMatch(/^unknown: .* yet: the node is at block/);
  });

  test('cannot be told in the first moments after the inference, which need no record', async () => {
    const { exchange, proof, address } = await stranger('private');
    const { timestamp } = proof;
    const after = (seconds: number) => scene.verify(exchange, { clock: manualClock(timestamp + seconds) });
    const key = `the key ${address} is not registered on the ledger`;
    expect(faults(await after(29))).toEqual({ key: `unknown: ${key} yet: the inference is of this moment` });
    expect(faults(await after(30))).toEqual({ key: `false: ${key}` });
    expect(faults(await after(-30))).toEqual({ key: `false: ${key}` });
  });
});

describe('A payment that the node of the chain does not have', () => {
  /** A node that knows nothing of this payment, and whose newest block is of this time. */
  const behind = (timestamp: () => number, knows: () => boolean = () => false) =>
    startTestNode(scene.paymentChain.url, async ({ method }, upstream) => {
      if (knows()) return upstream();
      if (method === 'eth_getTransactionReceipt') return null;
      if (method === 'eth_getLogs') return [];
      const found = await upstream();
      const isBlock = method === 'eth_getBlockByNumber' && typeof found === 'object';
      return isBlock ? { ...found, timestamp: `0x${timestamp().toString(16)}` } : found;
    });

  test('cannot be told until the node has blocks from well after the inference', async () => {
    const exchange = await scene.exchange(enclave, 'private');
    const { timestamp } = proofOf(exchange);
    let now = timestamp + 59;
    await using node = await behind(() => now);
    const verify = async () => told(await scene.verify(exchange, { chainRpcUrl: node.url }))['payment'];
    expect(await verify()).toMatch(/^unknown: the chain knows no transaction 0x.* yet: its node is at block/);
    now += 1;
    expect(await verify()).toMatch(/^false: the chain knows no transaction 0x[0-9a-f]{64}$/);
  });

  test('is waited for', async () => {
    const exchange = await scene.exchange(enclave, 'private');
    const { timestamp } = proofOf(exchange);
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

  test('and that comes while it is asked for is there', async () => {
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

describe('A record that comes between two questions to the node', () => {
  test('is not missing, and is found where somebody waits', async () => {
    const exchange = await scene.exchange(enclave, 'individual');
    const proof = proofOf(exchange);
    const next = (await scene.ledgerChain.provider.getBlockNumber()) + 1;
    scene.records.set(
      proof.proofId,
      recordOf(proof, 'recorded', { txHash: proof.proofId, blockNumber: next }),
    );
    let calls = 0;
    await using node = await startTestNode(scene.ledgerChain.url, async ({ method }, upstream) => {
      const found = await upstream();
      // The first call of the contract is whether it is recorded.
      if (method === 'eth_call') calls += 1;
      if (method === 'eth_call' && calls === 1) await scene.record(proof);
      return found;
    });
    const early = await scene.verify(exchange, { ledgerRpcUrl: node.url });
    expect(faults(early)['inclusion']).toMatch(
      /^unknown: .* its node is at block \d+, and the record in block/,
    );
    expect(calls).toBeGreaterThan(1);
    expect(faults(await scene.verify(exchange))).toEqual({});
  });

  test('and one that a node behind the same address has is found where somebody waits', async () => {
    const exchange = await scene.exchange(enclave, 'individual');
    const proof = proofOf(exchange);
    const blockNumber = await scene.ledgerChain.provider.getBlockNumber();
    scene.records.set(proof.proofId, recordOf(proof, 'recorded', { txHash: proof.proofId, blockNumber }));
    const clock = { ...scene.clock, waitMs: () => scene.record(proof) };
    expect(faults(await scene.verify(exchange, { waitSeconds: 5, clock }))).toEqual({});
  });
});
