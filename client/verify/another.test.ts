import { inferenceProofTypes } from '@paid-inference/contract/eip712';
import type { SavedExchange } from '@paid-inference/contract/types';
import { hexlify, randomBytes, Wallet } from 'ethers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEnclave, type Enclave } from '../testing/enclave.ts';
import type { Scene } from '../testing/proven.ts';
import { makePurchases, type Purchases } from '../testing/purchases.ts';
import { faults, proofOf, told, withAnswerHeader, withProof } from '../testing/tamper.ts';
import { statementOf } from './signature.ts';

let scene: Scene;
let enclave: Enclave;
let bought: Purchases['bought'];

beforeAll(async () => {
  ({ scene, enclave, bought } = await makePurchases());
});
afterAll(() => scene[Symbol.asyncDispose]());

describe('Something else is named as what it is:', () => {
  test('the proof of another exchange', async () => {
    const other = await scene.exchange(enclave, 'individual', { answer: { text: 'pang' } });
    await scene.record(proofOf(other));
    expect(faults(await scene.verify(withProof(bought.individual, proofOf(other))))).toEqual({
      hashes:
        'false: neither the request nor the answer is what was proven: it is the proof of another exchange',
    });
  });

  test('a key that the ledger does not know', async () => {
    const stranger = await createEnclave(scene.ledger);
    scene.attestations.set(stranger.key.address.toLowerCase(), stranger.boot);
    expect(faults(await scene.verify(await scene.exchange(stranger, 'private')))).toEqual({
      key: `false: the key ${stranger.key.address} is not registered on the ledger`,
    });
  });

  test('a key that signs in the name of another', async () => {
    const signer = Wallet.createRandom().address;
    expect(faults(await scene.verify(withProof(bought.private, { signer })))).toEqual({
      signature: `false: not signed by ${signer}: the statement or the signature was changed`,
      key: `false: the key ${signer} is not registered on the ledger`,
      attestation: 'unknown: there is no attestation: the gateway says: there is none',
    });
  });

  test('a record of the same statement by another key', async () => {
    const exchange = await scene.exchange(enclave, 'individual');
    const proof = proofOf(exchange);
    const other = await scene.enclave();
    const signature = await other.key.signTypedData(scene.ledger, inferenceProofTypes, statementOf(proof));
    await scene.record({ ...proof, signature, signer: other.key.address });
    expect(faults(await scene.verify(exchange))).toEqual({
      inclusion: 'false: what the ledger recorded under this id is another inference',
    });
  });

  test('what somebody else recorded under the id of a private inference or of one in a batch, unless it has its hashes', async () => {
    const other = await scene.enclave();
    const take = async (exchange: SavedExchange, change: object) => {
      const statement = { ...proofOf(exchange), ...change, settlementType: 'individual' } as const;
      const signed = statementOf(statement);
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
    await scene.recordBatch([proofOf(batched)]);
    await take(kept, hashes());
    await take(batched, hashes());
    await take(copied, {});
    const found = told(await scene.verify(kept));
    expect(found['inclusion']).toBe(
      `true: private: the ledger has nothing of this inference (what has its id is another, by the key ${other.key.address}), and the gateway has kept nothing`,
    );
    expect(faults(await scene.verify(batched))).toEqual({});
    expect(faults(await scene.verify(copied))).toEqual({
      inclusion: `false: private was asked for, and the ledger has the hashes of this inference, by the key ${other.key.address}`,
    });
  });

  test('a key that was revoked before, and one of which only its own word says that it was not', async () => {
    const revoked = await scene.enclave();
    const timestamp = (await scene.ledgerNow()) - 10;
    const before = await scene.exchange(revoked, 'private', { timestamp });
    const recorded = await scene.exchange(revoked, 'individual', { timestamp });
    await scene.record(proofOf(recorded));
    await scene.revoke(revoked.key.address);
    const after = await scene.exchange(revoked, 'private', { timestamp: (await scene.ledgerNow()) + 1 });
    expect(faults(await scene.verify(after))).toEqual({
      key: expect.stringMatching(/^false: the key 0x.* was revoked at .*, before the inference$/),
    });
    expect(faults(await scene.verify(before))).toEqual({
      key: expect.stringMatching(/^unknown: .* only its own word says that the inference is older$/),
    });
    expect(told(await scene.verify(recorded))['key']).toMatch(
      /^true: .*, after this inference was recorded$/,
    );
  });

  test('an attestation of another key, another ledger, or for another nonce', async () => {
    const other = await scene.enclave();
    const attested = async (attestation: SavedExchange['attestation']) =>
      faults(await scene.verify({ ...bought.batch, ...(attestation && { attestation }) }))['attestation'];
    expect(await attested(other.boot)).toMatch(/^false: the attestation is of the key 0x.*, not of 0x/);
    expect(await attested({ ...other.boot, signer: enclave.key.address })).toBe(
      'false: the public key in the attestation is not that of its signer',
    );
    const ledger = { ...scene.ledger, chainId: 1 };
    expect(await attested({ ...enclave.boot, ledger })).toMatch(
      /^false: the attestation is for another ledger/,
    );
    const nonce = hexlify(randomBytes(32));
    expect(await attested(await enclave.attest(nonce))).toMatch(
      /^false: the attestation answers the nonce 0x/,
    );
    const pretended = { ...(await enclave.attest(nonce)), nonce: enclave.boot.nonce };
    expect(await attested(pretended)).toBe('false: the report data does not bind this key, ledger and nonce');
    const bound = { ...pretended, reportData: enclave.boot.reportData };
    expect(await attested(bound)).toBe(
      'false: the software statement was made for another key, ledger or nonce',
    );
  });

  test('software that calls itself hardware, and software where hardware is required', async () => {
    const boast = { ...enclave.boot, hardware: true };
    expect(faults(await scene.verify({ ...bought.batch, attestation: boast }))['attestation']).toMatch(
      /^false: it says of itself that it is hardware, and not a TEE/,
    );
    const required = await scene.verify(bought.batch, { attestation: { requireHardware: true } });
    expect(faults(required)).toEqual({
      attestation: expect.stringMatching(/^false: hardware is required, and this is not a TEE/),
    });
    const measured = await scene.verify(bought.batch, { attestation: { measurements: { PCR0: '00' } } });
    expect(faults(measured)).toEqual({ attestation: 'false: the evidence has no measurement PCR0' });
  });

  test('a proof that names another attester, or other hardware, than its attestation', async () => {
    const { attestation } = proofOf(bought.batch);
    const naming = async (change: object) =>
      faults(await scene.verify(withProof(bought.batch, { attestation: { ...attestation, ...change } })));
    expect(await naming({ provider: 'dstack' })).toEqual({
      attestation: 'false: the proof names dstack as who attests, and the attestation software',
    });
    expect(await naming({ hardware: true })).toEqual({
      attestation: 'false: the proof names hardware behind software, and the attestation none',
    });
  });

  test('a ledger on another chain, and another ledger than the one that was named', async () => {
    const elsewhere = await scene.verify(bought.batch, { ledgerRpcUrl: scene.paymentChain.url });
    expect(faults(elsewhere)).toEqual({
      signature:
        'false: the proof is for a ledger on another chain: 31740, and the node that was asked is of chain 84532',
      key: 'unknown: not asked: the proof is for another ledger',
      inclusion: 'unknown: not asked: the proof is for another ledger',
    });
    const named = await scene.verify(bought.batch, { ledger: scene.token });
    expect(faults(named)['signature']).toBe(
      `false: the proof is for another ledger: ${scene.ledger.verifyingContract}, not ${scene.token}`,
    );
  });

  test('a ledger that is no contract', async () => {
    const ledger = { ...scene.ledger, verifyingContract: Wallet.createRandom().address };
    const nowhere = await createEnclave(ledger);
    const exchange = { ...(await scene.exchange(nowhere, 'private')), attestation: nowhere.boot };
    const nothing = `false: there is no contract at ${ledger.verifyingContract} on chain 31740`;
    expect(faults(await scene.verify(exchange))).toEqual({ key: nothing, inclusion: nothing });
  });

  test('the receipt of another payment', async () => {
    const receipt = bought.batch.response.headers['x-payment-response'] ?? '';
    const { payment } = faults(
      await scene.verify(withAnswerHeader(bought.private, 'x-payment-response', receipt)),
    );
    expect(payment).toMatch(/^false: X-PAYMENT-RESPONSE names the payer 0x/);
  });
});
