import { ledgerDomainName, ledgerDomainVersion } from '@paid-inference/contract/constants';
import type { InferenceLeaf, SettlementType } from '@paid-inference/contract/types';
import { Wallet } from 'ethers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { batchTree } from '../proof/merkle-tree.ts';
import { randomValues, testSeed } from '../testing/chain/random-values.ts';
import {
  changedHex,
  role,
  signedInference,
  startTestLedgerNetwork,
  type TestLedgerNetwork,
} from '../testing/proof/proof-ledger-network.ts';

const seed = testSeed();
const values = randomValues(seed);
const { bytes32 } = values;

/** An inference of a batch, with its signature. */
type SignedLeaf = InferenceLeaf & { readonly signature: string };

let ledger: TestLedgerNetwork;

beforeAll(async () => {
  ledger = await startTestLedgerNetwork();
});
afterAll(() => ledger?.stop());

const unauthorized = (who: string, needed: string) => ['AccessControlUnauthorizedAccount', who, needed];

describe('The domain', () => {
  it('has the name and version of the contract package, this chain and this address', async () => {
    const domain = await ledger.asAdmin.getFunction('eip712Domain')();
    expect([domain.name, domain.version, domain.chainId]).toEqual([
      ledgerDomainName,
      ledgerDomainVersion,
      BigInt(ledger.network.chainId),
    ]);
    expect(domain.verifyingContract.toLowerCase()).toBe(ledger.network.contract);
  });
});

describe('Roles', () => {
  it('let the admin administer and register, the relayer register and record, and a third party nothing', async () => {
    const holders = {
      admin: new Wallet(ledger.network.adminKey),
      relayer: new Wallet(ledger.network.relayerKey),
      thirdParty: ledger.thirdParty,
    };
    const held = await Promise.all(
      Object.entries(holders).map(async ([name, { address: holder }]) => [
        name,
        await Promise.all(
          [role.admin, role.registrar, role.relayer].map((each) => ledger.read('hasRole', each, holder)),
        ),
      ]),
    );
    expect(Object.fromEntries(held)).toEqual({
      admin: [true, true, false],
      relayer: [false, true, true],
      thirdParty: [false, false, false],
    });
  });

  it('can be revoked and granted again by the admin', async () => {
    const { address: relayer } = new Wallet(ledger.network.relayerKey);
    await ledger.send(ledger.asAdmin, 'revokeRole', role.relayer, relayer);
    expect(await ledger.readRevert(ledger.asRelayer, 'recordBatch', bytes32(), 1)).toEqual(
      unauthorized(relayer, role.relayer),
    );
    await ledger.send(ledger.asAdmin, 'grantRole', role.relayer, relayer);
    expect((await ledger.send(ledger.asRelayer, 'recordBatch', bytes32(), 1)).events).toHaveLength(1);
  });

  it('cannot be extended by the relayer itself', async () => {
    const { address: relayer } = new Wallet(ledger.network.relayerKey);
    expect(await ledger.readRevert(ledger.asRelayer, 'grantRole', role.admin, relayer)).toEqual(
      unauthorized(relayer, role.admin),
    );
  });
});

describe('An enclave key', () => {
  it('is registered with the hash and the provider of its attestation', async () => {
    const [{ address: key }, hash] = [new Wallet(bytes32()), bytes32()];
    expect(await ledger.read('enclaveKey', key)).toEqual([`0x${'00'.repeat(32)}`, 0n, 0n]);
    const { events } = await ledger.send(ledger.asRelayer, 'registerEnclaveKey', key, hash, 'software');
    expect(events).toEqual([['EnclaveKeyRegistered', key, hash, 'software']]);
    expect(await ledger.read('enclaveKey', key)).toEqual([hash, await ledger.now(), 0n]);
  });

  it('is registered once: not with another attestation, and not after a revocation', async () => {
    const key = await ledger.registered();
    const again = ['registerEnclaveKey', key.address, bytes32(), 'software'] as const;
    expect(await ledger.readRevert(ledger.asRelayer, ...again)).toEqual(['AlreadyRegistered', key.address]);
    await ledger.send(ledger.asAdmin, 'revokeEnclaveKey', key.address);
    expect(await ledger.readRevert(ledger.asRelayer, ...again)).toEqual(['AlreadyRegistered', key.address]);
  });

  it('is revoked by the admin, and keeps its registration', async () => {
    const key = await ledger.registered();
    const before = (await ledger.read('enclaveKey', key.address)) as readonly unknown[];
    const { events } = await ledger.send(ledger.asAdmin, 'revokeEnclaveKey', key.address);
    expect(events).toEqual([['EnclaveKeyRevoked', key.address]]);
    expect(await ledger.read('enclaveKey', key.address)).toEqual([before[0], before[1], await ledger.now()]);
  });

  it('cannot be revoked twice, nor without a registration', async () => {
    const key = await ledger.registered();
    await ledger.send(ledger.asAdmin, 'revokeEnclaveKey', key.address);
    expect(await ledger.readRevert(ledger.asAdmin, 'revokeEnclaveKey', key.address)).toEqual([
      'RevokedSigner',
      key.address,
    ]);
    const unknown = new Wallet(bytes32()).address;
    expect(await ledger.readRevert(ledger.asAdmin, 'revokeEnclaveKey', unknown)).toEqual([
      'UnknownSigner',
      unknown,
    ]);
  });

  it('cannot be registered or revoked without the role', async () => {
    const key = await ledger.registered();
    const { address: relayer } = new Wallet(ledger.network.relayerKey);
    expect(await ledger.readRevert(ledger.asRelayer, 'revokeEnclaveKey', key.address)).toEqual(
      unauthorized(relayer, role.admin),
    );
    const values = [ledger.thirdParty.address, bytes32(), 'software'];
    expect(await ledger.readRevert(ledger.asThirdParty, 'registerEnclaveKey', ...values)).toEqual(
      unauthorized(ledger.thirdParty.address, role.registrar),
    );
  });
});

describe(`A batch (TEST_SEED=${seed})`, () => {
  const key = new Wallet(bytes32());
  const signedFor = async (settlementType: SettlementType): Promise<SignedLeaf> => ({
    ...(await signedInference(key, ledger.network, values, settlementType)),
    signer: key.address,
  });
  const someLeaves = (count: number) => Promise.all(Array.from({ length: count }, () => signedFor('batch')));

  it('is recorded with one event of root, sequence and size', async () => {
    const [one, other] = [bytes32(), bytes32()];
    expect(await ledger.read('batch', one)).toEqual([0n, 0n, 0n]);
    const [first] = (await ledger.send(ledger.asRelayer, 'recordBatch', one, 5)).events as [
      readonly unknown[],
    ];
    const sequence = first[2] as bigint;
    expect(first).toEqual(['BatchRecorded', one, sequence, 5n]);
    expect(await ledger.read('batch', one)).toEqual([sequence, 5n, await ledger.now()]);
    const { events } = await ledger.send(ledger.asRelayer, 'recordBatch', other, 7);
    expect(events).toEqual([['BatchRecorded', other, sequence + 1n, 7n]]);
  });

  it('is recorded once, is never empty, and is recorded by a relayer only', async () => {
    const root = bytes32();
    await ledger.send(ledger.asRelayer, 'recordBatch', root, 3);
    expect(await ledger.readRevert(ledger.asRelayer, 'recordBatch', root, 3)).toEqual([
      'AlreadyRecorded',
      root,
    ]);
    expect(await ledger.readRevert(ledger.asRelayer, 'recordBatch', bytes32(), 0)).toEqual(['EmptyBatch']);
    expect(await ledger.readRevert(ledger.asThirdParty, 'recordBatch', bytes32(), 3)).toEqual(
      unauthorized(ledger.thirdParty.address, role.relayer),
    );
  });

  it.each([1, 2, 5, 64])('of %i leaves holds every leaf, by its path', async (count) => {
    const leaves = await someLeaves(count);
    const tree = batchTree(leaves);
    const holds = (leaf: SignedLeaf) =>
      ledger.read('verifyInBatch', tree.root, leaf, tree.findPath(leaf.proofId));
    const [first] = leaves;
    if (first === undefined) throw new Error('no leaf');
    expect(await holds(first)).toBe(false);
    await ledger.send(ledger.asRelayer, 'recordBatch', tree.root, count);
    expect(await Promise.all(leaves.map(holds))).toEqual(leaves.map(() => true));
  });

  it('does not hold a changed leaf, a leaf by a changed path, or a leaf under a changed root', async () => {
    const leaves = await someLeaves(5);
    const tree = batchTree(leaves);
    await ledger.send(ledger.asRelayer, 'recordBatch', tree.root, 5);
    for (const leaf of leaves) {
      const path = [...(tree.findPath(leaf.proofId) ?? [])];
      const changes: readonly Partial<SignedLeaf>[] = [
        ...(['proofId', 'inputHash', 'outputHash', 'modelHash'] as const).map((field) => ({
          [field]: changedHex(leaf[field]),
        })),
        { timestamp: leaf.timestamp + 1 },
        { signature: changedHex(leaf.signature, 40) },
        { signature: '0x' },
      ];
      const longer = [...path, bytes32()];
      const paths = [path.slice(1), longer, path.with(0, bytes32()), path.with(-1, bytes32())];
      const responses = await Promise.all([
        ledger.read('verifyInBatch', changedHex(tree.root), leaf, path),
        ...changes.map((change) => ledger.read('verifyInBatch', tree.root, { ...leaf, ...change }, path)),
        ...paths.map((each) => ledger.read('verifyInBatch', tree.root, leaf, each)),
      ]);
      expect(responses).toEqual(responses.map(() => false));
    }
  });

  it.each(['individual', 'private'] as const)(
    'does not hold a statement signed for %s, whatever its leaf says (D-85)',
    async (settlementType) => {
      const [honest, other] = [await signedFor('batch'), await signedFor(settlementType)];
      for (const leaf of [other, { ...other, settlementType: 'batch' } as const]) {
        const tree = batchTree([honest, leaf]);
        await ledger.send(ledger.asRelayer, 'recordBatch', tree.root, 2);
        const holds = (each: SignedLeaf) =>
          ledger.read('verifyInBatch', tree.root, each, tree.findPath(each.proofId));
        expect([await holds(honest), await holds(leaf)]).toEqual([true, false]);
      }
    },
  );

  it('of 64 costs less than 1,000 gas for each inference, transaction and calldata included', async () => {
    const tree = batchTree(await someLeaves(64));
    const { gasUsed } = await ledger.send(ledger.asRelayer, 'recordBatch', tree.root, tree.size);
    expect(gasUsed).toBeGreaterThan(21_000n);
    expect(Number(gasUsed) / 64).toBeLessThan(1_000);
  });
});
