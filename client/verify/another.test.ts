import { inferenceProofTypes } from '@paid-inference/contract/eip712';
import type { SavedExchange } from '@paid-inference/contract/types';
import { hexlify, randomBytes, Wallet } from 'ethers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEnclave, type Enclave } from '../testing/enclave.ts';
import type { Scene } from '../testing/proven.ts';
import { makePurchases, type Purchases } from '../testing/purchases.ts';
import { decodeProof, faults, listSteps, withProof, withResponseHeader } from '../testing/tamper.ts';
import { pickStatement } from './signature.ts';

let scene: Scene;
let enclave: Enclave;
let bought: Purchases['bought'];

beforeAll(async () => {
  ({ scene, enclave, bought } = await makePurchases());
});
afterAll(() => scene[Symbol.asyncDispose]());

describe('The verification names', () => {
  test('the proof of another exchange', async () => {
    const other = await scene.exchange(enclave, 'individual', { response: { text: 'pang' } });
    await scene.record(decodeProof(other));
    expect(faults(await scene.verify(withProof(bought.individual, decodeProof(other))))).toEqual({
      hashes: 'false: the proof belongs to another exchange: neither request nor response matches it',
    });
  });

  test('an unregistered key', async () => {
    const unregistered = await createEnclave(scene.ledger);
    scene.attestations.set(unregistered.key.address.toLowerCase(), unregistered.boot);
    expect(faults(await scene.verify(await scene.exchange(unregistered, 'private')))).toEqual({
      key: `false: the key ${unregistered.key.address} is not registered on the proof ledger`,
    });
  });

  test('a proof that names another signer', async () => {
    const signer = Wallet.createRandom().address;
    expect(faults(await scene.verify(withProof(bought.private, { signer })))).toEqual({
      signature: `false: not signed by ${signer}: the statement or the signature was changed`,
      key: `false: the key ${signer} is not registered on the proof ledger`,
      attestation: 'unknown: there is no attestation: the gateway says: not found',
    });
  });

  test('a record of the same statement by another key', async () => {
    const exchange = await scene.exchange(enclave, 'individual');
    const proof = decodeProof(exchange);
    const other = await scene.enclave();
    const signature = await other.key.signTypedData(scene.ledger, inferenceProofTypes, pickStatement(proof));
    await scene.record({ ...proof, signature, signer: other.key.address });
    expect(faults(await scene.verify(exchange))).toEqual({
      inclusion: 'false: the proof ledger has another inference under this id',
    });
  });

  test('hashes that another key recorded, but not another inference under the same id (D-86)', async () => {
    const other = await scene.enclave();
    const take = async (exchange: SavedExchange, change: object) => {
      const statement = { ...decodeProof(exchange), ...change, settlementType: 'individual' } as const;
      const signed = pickStatement(statement);
      const signature = await other.key.signTypedData(scene.ledger, inferenceProofTypes, signed);
      const kept = scene.records.get(statement.proofId);
      await scene.record({ ...statement, signature, signer: other.key.address });
      scene.records.delete(statement.proofId);
      if (kept !== undefined) scene.records.set(statement.proofId, kept);
    };
    const hashes = () => ({ inputHash: hexlify(randomBytes(32)), outputHash: hexlify(randomBytes(32)) });
    const [kept, batched, copied] = [
      await scene.exchange(enclave, 'private'),
      await scene.exchange(enclave, 'batch'),
      await scene.exchange(enclave, 'private'),
    ];
    await scene.recordBatch([decodeProof(batched)]);
    await take(kept, hashes());
    await take(batched, hashes());
    await take(copied, {});
    const found = listSteps(await scene.verify(kept));
    expect(found['inclusion']).toBe(
      `true: private: the proof ledger has nothing of this inference (the key ${other.key.address} recorded another inference under its id), and the gateway keeps nothing`,
    );
    expect(faults(await scene.verify(batched))).toEqual({});
    expect(faults(await scene.verify(copied))).toEqual({
      inclusion: `false: the request asked for private, but the proof ledger has the hashes of this inference, by the key ${other.key.address}`,
    });
  });

  test('a key that was revoked before the inference, and a revoked key without a recorded time', async () => {
    const revoked = await scene.enclave();
    const timestamp = (await scene.ledgerNow()) - 10;
    const before = await scene.exchange(revoked, 'private', { timestamp });
    const recorded = await scene.exchange(revoked, 'individual', { timestamp });
    await scene.record(decodeProof(recorded));
    await scene.revoke(revoked.key.address);
    const after = await scene.exchange(revoked, 'private', { timestamp: (await scene.ledgerNow()) + 1 });
    expect(faults(await scene.verify(after))).toEqual({
      key: expect.stringMatching(/^false: the key 0x.* was revoked at .*, before the inference$/),
    });
    expect(faults(await scene.verify(before))).toEqual({
      key: expect.stringMatching(/^unknown: .* only the key itself dates the inference before that$/),
    });
    expect(listSteps(await scene.verify(recorded))['key']).toMatch(
      /^true: .*, after this inference was recorded$/,
    );
  });

  test('an attestation for another key, another proof ledger or another nonce', async () => {
    const other = await scene.enclave();
    const attested = async (attestation: SavedExchange['attestation']) =>
      faults(await scene.verify({ ...bought.batch, ...(attestation && { attestation }) }))['attestation'];
    expect(await attested(other.boot)).toMatch(/^false: the attestation is of the key 0x.*, not of 0x/);
    expect(await attested({ ...other.boot, signer: enclave.key.address })).toBe(
      'false: the public key in the attestation is not that of its signer',
    );
    const ledger = { ...scene.ledger, chainId: 1 };
    expect(await attested({ ...enclave.boot, ledger })).toMatch(
      /^false: the attestation is for another proof ledger/,
    );
    const nonce = hexlify(randomBytes(32));
    expect(await attested(await enclave.attest(nonce))).toMatch(
      /^false: the attestation is for the nonce 0x/,
    );
    const pretended = { ...(await enclave.attest(nonce)), nonce: enclave.boot.nonce };
    expect(await attested(pretended)).toBe(
      'false: the report data does not bind this key, proof ledger and nonce',
    );
    const bound = { ...pretended, reportData: enclave.boot.reportData };
    expect(await attested(bound)).toBe(
      'false: the software statement was made for another key, proof ledger or nonce',
    );
  });

  test('software that claims hardware, and software when hardware is required', async () => {
    const boast = { ...enclave.boot, hardware: true };
    expect(faults(await scene.verify({ ...bought.batch, attestation: boast }))['attestation']).toMatch(
      /^false: the attestation claims hardware, but the evidence shows: not a TEE/,
    );
    const required = await scene.verify(bought.batch, { attestation: { requireHardware: true } });
    expect(faults(required)).toEqual({
      attestation: expect.stringMatching(/^false: hardware is required, but the evidence shows: not a TEE/),
    });
    const measured = await scene.verify(bought.batch, { attestation: { measurements: { PCR0: '00' } } });
    expect(faults(measured)).toEqual({ attestation: 'false: the evidence has no measurement PCR0' });
  });

  test('a proof whose provider or hardware differs from its attestation', async () => {
    const { attestation } = decodeProof(bought.batch);
    const naming = async (change: object) =>
      faults(await scene.verify(withProof(bought.batch, { attestation: { ...attestation, ...change } })));
    expect(await naming({ provider: 'dstack' })).toEqual({
      attestation: 'false: the proof names the provider dstack, but the attestation names software',
    });
    expect(await naming({ hardware: true })).toEqual({
      attestation: 'false: the proof says hardware for software, but the attestation says no hardware',
    });
  });

  test('a proof ledger on another chain, and another proof ledger than the pinned one', async () => {
    const elsewhere = await scene.verify(bought.batch, { ledgerRpcUrl: scene.paymentChain.url });
    expect(faults(elsewhere)).toEqual({
      signature: 'false: the proof is for a proof ledger on chain 31740, but the node is on chain 84532',
      key: 'unknown: not checked: the proof is for another proof ledger',
      inclusion: 'unknown: not checked: the proof is for another proof ledger',
    });
    const named = await scene.verify(bought.batch, { ledger: scene.token });
    expect(faults(named)['signature']).toBe(
      `false: the proof is for another proof ledger: ${scene.ledger.verifyingContract}, not ${scene.token}`,
    );
  });

  test('a proof ledger without a contract', async () => {
    const ledger = { ...scene.ledger, verifyingContract: Wallet.createRandom().address };
    const nowhere = await createEnclave(ledger);
    const exchange = { ...(await scene.exchange(nowhere, 'private')), attestation: nowhere.boot };
    const nothing = `false: there is no contract at ${ledger.verifyingContract} on chain 31740`;
    expect(faults(await scene.verify(exchange))).toEqual({ key: nothing, inclusion: nothing });
  });

  test('a receipt of another payment', async () => {
    const receipt = bought.batch.response.headers['x-payment-response'] ?? '';
    const { payment } = faults(
      await scene.verify(withResponseHeader(bought.private, 'x-payment-response', receipt)),
    );
    expect(payment).toMatch(/^false: X-PAYMENT-RESPONSE names the payer 0x/);
  });
});
