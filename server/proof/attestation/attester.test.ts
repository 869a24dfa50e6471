import { Attestation as isAttestation } from '@paid-inference/contract/validators';
import { keccak256 } from 'ethers';
import { describe, expect, it } from 'vitest';
import { hexOf } from '../../chain/bytes.ts';
import type { SignerRecord } from '../../store/proof-store.ts';
import { keccak, testKey, testLedger } from '../../testing/attestation/key.ts';
import { fail, ok } from '../../types/result.ts';
import { type Address, type Bytes32, unixSeconds } from '../../types/units.ts';
import { createAttester } from './attester.ts';
import { type AttestationProvider, failed, type Report } from './provider.ts';
import { reportDataOf, zeroNonce } from './report-data.ts';

const enclaveKey = testKey();
const nonce = `0x${'66'.repeat(32)}` as Bytes32;
const thirdParty = `0x${'99'.repeat(20)}` as Address;
const fullReport: Omit<Report, 'evidence'> = {
  format: 'tdx-quote',
  certificates: Buffer.from('certificates'),
  measurements: { MRTD: 'ab' },
  issuedAt: unixSeconds(1_700_000_000),
};

/** A provider whose evidence is the report data itself, and that counts what it is asked. */
function echo(hold?: Promise<void>) {
  const asked: string[] = [];
  const provider: AttestationProvider = {
    kind: 'dstack',
    hardware: true,
    concurrentMax: 1,
    async attest(reportData) {
      asked.push(hexOf(reportData));
      if (asked.length > 1) await hold;
      return ok({ ...fullReport, evidence: reportData });
    },
  };
  return { asked, provider };
}

async function attesterOf(provider: AttestationProvider, records: readonly SignerRecord[] = []) {
  const findSigner = async (address: Address) => records.find((record) => record.address === address) ?? null;
  const made = await createAttester({
    provider,
    enclaveKey,
    ledger: testLedger,
    proofStore: { findSigner },
    keccak,
    waitMs: 2_000,
  });
  if (!made.ok) throw new Error(made.fault.message);
  return made.value;
}

const dataFor = (value: Bytes32) =>
  hexOf(reportDataOf({ publicKey: enclaveKey.publicKey, ledger: testLedger, nonce: value }));

describe('An attestation', () => {
  it('is what the contract says, and everything in it that the report data is made of', async () => {
    const { boot, summary } = await attesterOf(echo().provider);
    expect(isAttestation(boot), JSON.stringify(isAttestation.errors)).toBe(true);
    expect(boot).toEqual({
      provider: 'dstack',
      hardware: true,
      statement: expect.stringContaining('has not verified'),
      signer: enclaveKey.address,
      publicKey: enclaveKey.publicKey,
      binding: 'paid-inference/enclave-key/v1',
      ledger: testLedger,
      nonce: zeroNonce,
      reportData: dataFor(zeroNonce),
      format: 'tdx-quote',
      evidence: Buffer.from(dataFor(zeroNonce).slice(2), 'hex').toString('base64'),
      evidenceHash: keccak256(dataFor(zeroNonce)),
      certificates: Buffer.from('certificates').toString('base64'),
      measurements: { MRTD: 'ab' },
      issuedAt: 1_700_000_000,
    });
    expect(summary).toEqual({ provider: 'dstack', hardware: true, evidenceHash: boot.evidenceHash });
  });

  it('leaves out what the provider did not hand out', async () => {
    const { provider } = echo();
    const attest: AttestationProvider['attest'] = async (evidence) =>
      ok({ format: 'jwt', evidence, issuedAt: unixSeconds(1) });
    const { boot } = await attesterOf({ ...provider, attest });
    expect(isAttestation(boot)).toBe(true);
    expect(Object.keys(boot)).not.toContain('certificates');
    expect(Object.keys(boot)).not.toContain('measurements');
  });

  it('of software says that it is not a TEE', async () => {
    const { boot } = await attesterOf({ ...echo().provider, kind: 'software', hardware: false });
    expect(boot).toMatchObject({ provider: 'software', hardware: false });
    expect(boot.statement).toMatch(/^Not a TEE/);
  });
});

describe('Asked for an attestation', () => {
  it('without a nonce, or with the nonce of the start, it shows the one of the start and makes none', async () => {
    const { provider, asked } = echo();
    const attester = await attesterOf(provider);
    for (const [given, signer] of [
      [null, null],
      [null, enclaveKey.address],
      [zeroNonce, null],
    ] as const) {
      expect(await attester.attest(given, signer)).toEqual({ ok: true, value: attester.boot });
    }
    expect(asked).toHaveLength(1);
  });

  it('with a nonce it makes fresh evidence that carries it', async () => {
    const { provider, asked } = echo();
    const attester = await attesterOf(provider);
    for (const signer of [null, enclaveKey.address]) {
      const made = await attester.attest(nonce, signer);
      expect(made).toMatchObject({ ok: true, value: { nonce, reportData: dataFor(nonce) } });
    }
    expect(asked).toEqual([dataFor(zeroNonce), dataFor(nonce), dataFor(nonce)]);
  });

  it('for the key of an earlier start it shows what that key was registered with, whatever the nonce', async () => {
    const { boot } = await attesterOf(echo().provider);
    const earlier = { ...boot, signer: thirdParty };
    const record = { address: thirdParty, attestation: JSON.stringify(earlier), isRegistered: true };
    const attester = await attesterOf(echo().provider, [record]);
    for (const given of [null, nonce]) {
      expect(await attester.attest(given, thirdParty)).toEqual({ ok: true, value: earlier });
    }
  });

  it('for an address that never was a key of this gateway it says so', async () => {
    const attester = await attesterOf(echo().provider);
    expect(await attester.attest(nonce, thirdParty)).toEqual({
      ok: false,
      fault: { kind: 'unknown_signer' },
    });
  });
});

describe('When the provider has trouble', () => {
  it('at the start there is no attester', async () => {
    const provider: AttestationProvider = { ...echo().provider, attest: async () => fail(failed('no luck')) };
    const options = { enclaveKey, ledger: testLedger, proofStore: { findSigner: async () => null }, keccak };
    const fault = failed('no luck');
    expect(await createAttester({ ...options, provider, waitMs: 1 })).toEqual({ ok: false, fault });
  });

  it('later only the fresh evidence is missing; that of the start is still shown', async () => {
    const { provider, asked } = echo();
    const attest: AttestationProvider['attest'] = (reportData) =>
      asked.length === 0 ? provider.attest(reportData) : Promise.resolve(fail(failed('gone')));
    const attester = await attesterOf({ ...provider, attest });
    const fault = { kind: 'unavailable', message: 'dstack: gone' };
    expect(await attester.attest(nonce, null)).toEqual({ ok: false, fault });
    expect(await attester.attest(null, null)).toEqual({ ok: true, value: attester.boot });
  });

  it('too many at once are told that it is busy, and the hardware is asked one by one', async () => {
    const held = Promise.withResolvers<void>();
    const { provider, asked } = echo(held.promise);
    const attester = await attesterOf(provider);
    const waiting = Array.from({ length: 33 }, () => attester.attest(nonce, null));
    expect(await attester.attest(nonce, null)).toEqual({ ok: false, fault: { kind: 'busy' } });
    expect(asked).toHaveLength(2);
    held.resolve();
    expect((await Promise.all(waiting)).filter((made) => made.ok)).toHaveLength(33);
  });
});

it('An attestation in the ledger that is none is a defect of ours, not an answer', async () => {
  const record = { address: thirdParty, attestation: '{"provider":"software"}', isRegistered: true };
  const attester = await attesterOf(echo().provider, [record]);
  await expect(attester.attest(null, thirdParty)).rejects.toThrow('an attestation that is none');
});
