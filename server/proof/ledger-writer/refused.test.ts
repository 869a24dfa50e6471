import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SignedProof } from '../../store/proof-store.ts';
import { startWriterBench, type WriterBench, type Writing } from '../../testing/proof/writer.ts';
import type { Address, Bytes32 } from '../../types/units.ts';
import { batchTree } from '../merkle-tree.ts';
import type { KeyState } from './ledger-view.ts';
import { createKeyWatch } from './watch-key.ts';

// A refused proof delays nothing else, and is kept (D-73, D-90).

// Each test has several steps, and a busy machine may be slow at each.
vi.setConfig({ testTimeout: 90_000 });

let bench: WriterBench;
let writing: Writing;

beforeAll(async () => {
  bench = await startWriterBench();
});
afterAll(() => bench?.stop());
beforeEach(async () => {
  writing = await bench.open();
});
afterEach(() => writing.close());

const patience = { timeout: 30_000 } as const;
const until = (count: number) => expect.poll(() => writing.recorded(), patience).toHaveLength(count);
const ids = (proofs: readonly SignedProof[]) => proofs.map(({ proofId }) => proofId);
/** The most refused proofs that the test can afford in a few seconds. */
const many = 1_000;

/** Registers a key, then revokes it. */
async function revokedKey(): Promise<Address> {
  const [first] = await writing.prove('individual', 1);
  const writer = writing.start();
  await until(1);
  await writer.close(1_000);
  await writing.asAdmin('revokeEnclaveKey', first?.signer);
  return first?.signer ?? ('0x' as Address);
}

describe('A proof whose key was revoked', () => {
  it('is parked and reported, and does not delay the others', async () => {
    await revokedKey();
    const refused = await writing.prove('individual', 2);
    const batch = await writing.prove('batch', 4);
    const writer = writing.start();
    await until(2);
    expect((await writing.recorded()).at(-1)).toBe(batchTree(batch).root);
    await expect
      .poll(() => writer.healthIssue(), patience)
      .toMatch(/^2 proofs cannot be recorded: .*revoked/);
    expect(await writing.store.backlog(writing.ledgerName)).toMatchObject({ individual: 0 });
    for (const id of ids(refused)) {
      const refusal = expect.stringMatching(/revoked/);
      expect(await writing.store.findProof(id)).toMatchObject({ inclusion: null, refusal });
    }
  });

  it(`delays no other proof, even with ${many} refused proofs`, { timeout: 120_000 }, async () => {
    await revokedKey();
    await Promise.all(Array.from({ length: many / 10 }, () => writing.prove('individual', 10)));
    await writing.renewKey();
    const [good] = await writing.prove('individual', 1);
    writing.start({ limits: { retryMsMax: 60_000 } });
    await expect.poll(() => writing.recorded(), { timeout: 60_000 }).toContain(good?.proofId);
    expect(await writing.store.parked(writing.ledgerName, 2 * many)).toMatchObject({ proofs: many });
  });

  it('is checked again after its pause, by few calls in a round', async () => {
    await revokedKey();
    await Promise.all(Array.from({ length: 10 }, () => writing.prove('individual', 10)));
    const first = writing.start({ limits: { retryMsMax: 60_000 } });
    await expect
      .poll(async () => (await writing.store.parked(writing.ledgerName, 999)).proofs, patience)
      .toBe(100);
    await first.close(1_000);
    writing.ledger.clock.advance(61);
    let looks = 0;
    const readParked: typeof writing.store.readParked = async (...parameters) => {
      const found = await writing.store.readParked(...parameters);
      if (found.length > 0) looks += 1;
      return found;
    };
    const isRecorded = bench.computeSelector('isRecorded');
    let asked = 0;
    bench.node.conduct = (method, body) => {
      if (method === 'eth_call' && body.includes(isRecorded)) asked += 1;
      return 'sound';
    };
    const writer = writing.start({
      store: { ...writing.store, readParked },
      limits: { retryMsMax: 60_000, storePollMs: 60_000 },
    });
    // One round, then a pause of a minute.
    await expect.poll(() => writer.healthIssue(), patience).toMatch(/^100 proofs cannot be recorded/);
    expect([looks, asked]).toEqual([1, 20]);
  });
});

describe('Proofs whose key is registered late', () => {
  it('are all recorded then, also when there are many', async () => {
    const signer = (await writing.prove('individual', 50))[0]?.signer;
    await writing.asAdmin('revokeRole', await writing.read('REGISTRAR'), writing.relayer.address);
    const writer = writing.start();
    await expect
      .poll(async () => (await writing.store.parked(writing.ledgerName, 999)).proofs, patience)
      .toBe(50);
    await writing.asAdmin('registerEnclaveKey', signer, `0x${'ab'.repeat(32)}`, 'software');
    writing.ledger.clock.advance(1);
    await until(50);
    await expect.poll(() => writer.healthIssue(), patience).toBe(null);
    expect(await writing.store.parked(writing.ledgerName, 999)).toEqual({ proofs: 0, refusal: null });
  });

  it('delay no proof of a registered key', async () => {
    const late = await writing.prove('individual', 3);
    await writing.asAdmin('revokeRole', await writing.read('REGISTRAR'), writing.relayer.address);
    await writing.renewKey();
    const [good] = await writing.prove('individual', 1);
    await writing.asAdmin('registerEnclaveKey', good?.signer, `0x${'ab'.repeat(32)}`, 'software');
    writing.start();
    await until(1);
    expect(await writing.recorded()).toEqual([good?.proofId]);
    await expect
      .poll(async () => (await writing.store.parked(writing.ledgerName, 9)).proofs, patience)
      .toBe(ids(late).length);
  });
});

describe('The enclave key of a gateway', () => {
  it('that was revoked is reported by every process, not only by the writer', async () => {
    const [proof] = await writing.prove('individual', 1);
    const writer = writing.start({ owner: 'one' });
    const other = writing.start({ owner: 'other' });
    await until(1);
    expect([writer.keyIssue(), other.keyIssue()]).toEqual([null, null]);
    await writing.asAdmin('revokeEnclaveKey', proof?.signer);
    for (const each of [writer, other])
      await expect.poll(() => each.keyIssue(), patience).toMatch(/revoked on the proof ledger.*Restart/);
    await writing.renewKey();
    const next = writing.start({ owner: 'next' });
    await writing.prove('individual', 1);
    await until(2);
    expect(next.keyIssue()).toBe(null);
  });

  it('that was registered with other evidence stops sales, and the issue tells the operator what to do', async () => {
    const [proof] = await writing.prove('individual', 1);
    await writing.asAdmin('registerEnclaveKey', proof?.signer, `0x${'ab'.repeat(32)}`, 'software');
    const writer = writing.start();
    await expect.poll(() => writer.keyIssue(), patience).toMatch(/other evidence.*Revoke.*restart/);
    expect(writing.warnings.join()).toMatch(new RegExp(`${proof?.signer} with other evidence`));
    await writing.renewKey();
    const next = writing.start({ owner: 'next' });
    await expect
      .poll(() => writing.read('enclaveKey', writing.key.signer), patience)
      .toMatchObject([writing.key.evidenceHash, expect.anything(), 0n]);
    await expect.poll(() => next.healthIssue(), patience).toBe(null);
    expect(next.keyIssue()).toBe(null);
  });

  it('that is not registered does not stop sales, and every process reports it', async () => {
    await writing.asAdmin('revokeRole', await writing.read('REGISTRAR'), writing.relayer.address);
    const both = [writing.start({ owner: 'one' }), writing.start({ owner: 'other' })];
    const { signer, evidenceHash } = writing.key;
    for (const each of both)
      await expect
        .poll(() => each.healthIssue(), patience)
        .toMatch(
          new RegExp(`${signer} is not registered .*No proof can be verified until .* ${evidenceHash}`),
        );
    expect(writing.warnings.join()).toMatch(/No proof can be verified/);
    expect(both.map((each) => each.keyIssue())).toEqual([null, null]);
    await writing.asAdmin('registerEnclaveKey', signer, evidenceHash, 'software');
    for (const each of both) await expect.poll(() => each.healthIssue(), patience).toBe(null);
    expect(both.map((each) => each.keyIssue())).toEqual([null, null]);
  });

  it('counts as revoked only after two equal responses, and until the ledger returns another state', async () => {
    const states: KeyState[] = ['unknown', 'active', 'revoked', 'active', 'revoked', 'revoked', 'active'];
    const said = [...states];
    const evidenceHash = `0x${'cd'.repeat(32)}` as Bytes32;
    const watch = createKeyWatch(
      { enclaveKey: async () => ({ state: said.shift() ?? 'active', evidenceHash }) },
      { signer: `0x${'ab'.repeat(20)}` as Address, evidenceHash },
    );
    const healthIssues = [];
    for (const _ of states) {
      await watch.look();
      healthIssues.push(watch.healthIssue() !== null);
    }
    expect(healthIssues).toEqual([false, false, false, false, false, true, false]);
  });
});
