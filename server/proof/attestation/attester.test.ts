import { Attestation as isAttestation } from '@paid-inference/contract/validators';
import { keccak256 } from 'ethers';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../chain/bytes.ts';
import type { SignerRecord } from '../../store/proof-store.ts';
import { keccak, testKey, testLedger } from '../../testing/attestation/key.ts';
import { fail, ok } from '../../types/result.ts';
import { type Address, type Bytes32, unixSeconds } from '../../types/units.ts';
import { createAttester } from './attester.ts';
import { type AttestationProvider, failed, type Report } from './provider.ts';
import { computeReportData, zeroNonce } from './report-data.ts';

const enclaveKey = testKey();
const nonce = `0x${'66'.repeat(32)}` as Bytes32;
const network = '192.0.2.1';
const thirdParty = `0x${'99'.repeat(20)}` as Address;
const fullReport: Omit<Report, 'evidence'> = {
  format: 'tdx-quote',
  certificates: Buffer.from('certificates'),
  measurements: { MRTD: 'ab' },
  issuedAt: unixSeconds(1_700_000_000),
};

/** A fake provider that returns the report data as evidence and records its calls. */
function echo(hold?: Promise<void>) {
  const asked: string[] = [];
  const provider: AttestationProvider = {
    kind: 'dstack',
    hardware: true,
    concurrentMax: 1,
    async attest(reportData) {
      asked.push(toHex(reportData));
      if (asked.length > 1) await hold;
      return ok({ ...fullReport, evidence: reportData });
    },
  };
  return { asked, provider };
}

async function openAttester(provider: AttestationProvider, records: readonly SignerRecord[] = []) {
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
  toHex(computeReportData({ publicKey: enclaveKey.publicKey, ledger: testLedger, nonce: value }));

describe('An attestation', () => {
  it('matches the contract and shows all parts of the report data', async () => {
    const { boot, summary } = await openAttester(echo().provider);
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

  it('omits the fields that the provider did not return', async () => {
    const { provider } = echo();
    const attest: AttestationProvider['attest'] = async (evidence) =>
      ok({ format: 'jwt', evidence, issuedAt: unixSeconds(1) });
    const { boot } = await openAttester({ ...provider, attest });
    expect(isAttestation(boot)).toBe(true);
    expect(Object.keys(boot)).not.toContain('certificates');
    expect(Object.keys(boot)).not.toContain('measurements');
  });

  it('states that it is not a TEE when it is made by software', async () => {
    const { boot } = await openAttester({ ...echo().provider, kind: 'software', hardware: false });
    expect(boot).toMatchObject({ provider: 'software', hardware: false });
    expect(boot.statement).toMatch(/^Not a TEE/);
  });
});

describe('Requests for an attestation', () => {
  it('return the attestation of the start without a nonce, or with the zero nonce', async () => {
    const { provider, asked } = echo();
    const attester = await openAttester(provider);
    for (const [given, signer] of [
      [null, null],
      [null, enclaveKey.address],
      [zeroNonce, null],
    ] as const) {
      expect(await attester.attest(given, signer, network)).toEqual({ ok: true, value: attester.boot });
    }
    expect(asked).toHaveLength(1);
  });

  it('return fresh evidence with the nonce of the request', async () => {
    const { provider, asked } = echo();
    const attester = await openAttester(provider);
    for (const signer of [null, enclaveKey.address]) {
      const made = await attester.attest(nonce, signer, network);
      expect(made).toMatchObject({ ok: true, value: { nonce, reportData: dataFor(nonce) } });
    }
    expect(asked).toEqual([dataFor(zeroNonce), dataFor(nonce), dataFor(nonce)]);
  });

  it('return the registered attestation for the key of an earlier start, for every nonce', async () => {
    const { boot } = await openAttester(echo().provider);
    const earlier = { ...boot, signer: thirdParty };
    const record = { address: thirdParty, attestation: JSON.stringify(earlier), isRegistered: true };
    const attester = await openAttester(echo().provider, [record]);
    for (const given of [null, nonce]) {
      expect(await attester.attest(given, thirdParty, network)).toEqual({ ok: true, value: earlier });
    }
  });

  it('return unknown_signer for an address that never was a key of this gateway', async () => {
    const attester = await openAttester(echo().provider);
    expect(await attester.attest(nonce, thirdParty, network)).toEqual({
      ok: false,
      fault: { kind: 'unknown_signer' },
    });
  });
});

describe('With a provider that fails', () => {
  it('createAttester returns the fault at the start', async () => {
    const provider: AttestationProvider = { ...echo().provider, attest: async () => fail(failed('failure')) };
    const options = { enclaveKey, ledger: testLedger, proofStore: { findSigner: async () => null }, keccak };
    const fault = failed('failure');
    expect(await createAttester({ ...options, provider, waitMs: 1 })).toEqual({ ok: false, fault });
  });

  it('the attester returns no fresh evidence, but still that of the start', async () => {
    const { provider, asked } = echo();
    const attest: AttestationProvider['attest'] = (reportData) =>
      asked.length === 0 ? provider.attest(reportData) : Promise.resolve(fail(failed('failure')));
    const attester = await openAttester({ ...provider, attest });
    const fault = { kind: 'unavailable', message: 'dstack: failure' };
    expect(await attester.attest(nonce, null, network)).toEqual({ ok: false, fault });
    expect(await attester.attest(null, null, network)).toEqual({ ok: true, value: attester.boot });
  });

  it('the attester rejects too many requests as busy, and calls the hardware one at a time', async () => {
    const held = Promise.withResolvers<void>();
    const { provider, asked } = echo(held.promise);
    const attester = await openAttester(provider);
    const waiting = Array.from({ length: 33 }, () => attester.attest(nonce, null, network));
    expect(await attester.attest(nonce, null, network)).toEqual({ ok: false, fault: { kind: 'busy' } });
    expect(asked).toHaveLength(2);
    held.resolve();
    expect((await Promise.all(waiting)).filter((made) => made.ok)).toHaveLength(33);
  });
});

it('throws when the store holds an invalid attestation', async () => {
  const record = { address: thirdParty, attestation: '{"provider":"software"}', isRegistered: true };
  const attester = await openAttester(echo().provider, [record]);
  await expect(attester.attest(null, thirdParty, network)).rejects.toThrow('an invalid attestation');
});
