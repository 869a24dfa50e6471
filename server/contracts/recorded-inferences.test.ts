import type { SettlementType } from '@paid-inference/contract/types';
import { Wallet } from 'ethers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
const { bytes32, address } = values;

let ledger: TestLedgerNetwork;

beforeAll(async () => {
  ledger = await startTestLedgerNetwork();
});
afterAll(() => ledger?.stop());

const unauthorized = (who: string, needed: string) => ['AccessControlUnauthorizedAccount', who, needed];

const signed = (
  key: Wallet,
  domain = ledger.network as { chainId: number; contract: string },
  settlementType: SettlementType = 'individual',
) => signedInference(key, domain, values, settlementType);
const somebody = expect.stringMatching(/^0x[0-9a-fA-F]{40}$/);

describe(`Individual inferences (TEST_SEED=${seed})`, () => {
  it('are recorded several in a transaction, each with an event of its hashes and its signer', async () => {
    const keys = [await ledger.registered(), await ledger.registered()] as const;
    const inferences = [await signed(keys[0]), await signed(keys[1]), await signed(keys[0])];
    const { events } = await ledger.send(ledger.asRelayer, 'recordInferences', inferences);
    expect(events).toEqual(
      inferences.map(({ proofId, inputHash, outputHash, modelHash, timestamp, signature }, at) => [
        'InferenceRecorded',
        proofId,
        keys[at % 2]?.address,
        inputHash,
        outputHash,
        modelHash,
        BigInt(timestamp),
        signature,
      ]),
    );
    for (const { proofId } of inferences) expect(await ledger.read('isRecorded', proofId)).toBe(true);
    expect(await ledger.read('isRecorded', bytes32())).toBe(false);
  });

  it('that are recorded already are skipped, also in the same transaction, and the others are recorded', async () => {
    const key = await ledger.registered();
    const [first, second] = [await signed(key), await signed(key)];
    await ledger.send(ledger.asRelayer, 'recordInferences', [first]);
    const { events } = await ledger.send(ledger.asRelayer, 'recordInferences', [first, second, second]);
    expect(events.map((event) => (event as readonly unknown[])[1])).toEqual([second.proofId]);
  });

  it('of an unknown or a revoked signer revert the whole transaction', async () => {
    const [known, unknown, revoked] = [
      await ledger.registered(),
      new Wallet(bytes32()),
      await ledger.registered(),
    ];
    await ledger.send(ledger.asAdmin, 'revokeEnclaveKey', revoked.address);
    const good = await signed(known);
    const withUnknown = [good, await signed(unknown)];
    expect(await ledger.readRevert(ledger.asRelayer, 'recordInferences', withUnknown)).toEqual([
      'UnknownSigner',
      unknown.address,
    ]);
    const withRevoked = [good, await signed(revoked)];
    expect(await ledger.readRevert(ledger.asRelayer, 'recordInferences', withRevoked)).toEqual([
      'RevokedSigner',
      revoked.address,
    ]);
    expect(await ledger.read('isRecorded', good.proofId)).toBe(false);
  });

  it('recorded before the revocation of their key stay recorded', async () => {
    const key = await ledger.registered();
    const inference = await signed(key);
    await ledger.send(ledger.asRelayer, 'recordInferences', [inference]);
    await ledger.send(ledger.asAdmin, 'revokeEnclaveKey', key.address);
    expect(await ledger.read('isRecorded', inference.proofId)).toBe(true);
    expect((await ledger.send(ledger.asRelayer, 'recordInferences', [inference])).events).toEqual([]);
  });

  it.each(['proofId', 'inputHash', 'outputHash', 'modelHash'] as const)(
    'with a changed byte in %s have no known signer',
    async (field) => {
      const inference = await signed(await ledger.registered());
      const other = { ...inference, [field]: changedHex(inference[field]) };
      expect(await ledger.readRevert(ledger.asRelayer, 'recordInferences', [other])).toEqual([
        'UnknownSigner',
        somebody,
      ]);
    },
  );

  it('with another timestamp have no known signer', async () => {
    const inference = await signed(await ledger.registered());
    const other = { ...inference, timestamp: inference.timestamp + 1 };
    expect(await ledger.readRevert(ledger.asRelayer, 'recordInferences', [other])).toEqual([
      'UnknownSigner',
      somebody,
    ]);
  });

  it.each(['batch', 'private'] as const)('signed for %s have no known signer (D-85)', async (mode) => {
    const inference = await signed(await ledger.registered(), ledger.network, mode);
    expect(await ledger.readRevert(ledger.asRelayer, 'recordInferences', [inference])).toEqual([
      'UnknownSigner',
      somebody,
    ]);
    expect(await ledger.read('isRecorded', inference.proofId)).toBe(false);
  });

  it('with a changed byte anywhere in the signature are rejected', async () => {
    const inference = await signed(await ledger.registered());
    const refusals = ['UnknownSigner', 'ECDSAInvalidSignature', 'ECDSAInvalidSignatureS'];
    for (let at = 3; at < inference.signature.length; at += 2) {
      const other = { ...inference, signature: changedHex(inference.signature, at) };
      const [name] = (await ledger.readRevert(ledger.asRelayer, 'recordInferences', [other])) as [string];
      expect(refusals, `digit ${at}`).toContain(name);
    }
  });

  it('with a signature of another length are rejected', async () => {
    const inference = await signed(await ledger.registered());
    for (const signature of ['0x', inference.signature.slice(0, -2), `${inference.signature}00`]) {
      expect(
        await ledger.readRevert(ledger.asRelayer, 'recordInferences', [{ ...inference, signature }]),
      ).toEqual(['ECDSAInvalidSignatureLength', BigInt(signature.length / 2 - 1)]);
    }
  });

  it('signed for a ledger on another chain, or for another contract, have no known signer', async () => {
    const key = await ledger.registered();
    for (const domain of [{ chainId: ledger.network.chainId + 1 }, { contract: address() }]) {
      const inference = await signed(key, { ...ledger.network, ...domain });
      expect(await ledger.readRevert(ledger.asRelayer, 'recordInferences', [inference])).toEqual([
        'UnknownSigner',
        somebody,
      ]);
    }
  });

  it('are recorded by a relayer only, not by the admin', async () => {
    const inference = await signed(await ledger.registered());
    const { address: admin } = new Wallet(ledger.network.adminKey);
    expect(await ledger.readRevert(ledger.asAdmin, 'recordInferences', [inference])).toEqual(
      unauthorized(admin, role.relayer),
    );
    expect(await ledger.readRevert(ledger.asThirdParty, 'recordInferences', [inference])).toEqual(
      unauthorized(ledger.thirdParty.address, role.relayer),
    );
  });
});
