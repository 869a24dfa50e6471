import canonicalize from 'canonicalize';
import { verifyMessage } from 'ethers';
import { expect, it } from 'vitest';
import { toHex } from '../../chain/bytes.ts';
import { ourReportData, testKey } from '../../testing/attestation/key.ts';
import { manualClock } from '../../types/clock.ts';
import { createSoftwareProvider } from './software.ts';

const key = testKey();
const provider = createSoftwareProvider(key, manualClock(1_700_000_000));

async function evidence() {
  const report = await provider.attest(ourReportData);
  if (!report.ok) throw new Error(report.fault.message);
  return { report: report.value, text: Buffer.from(report.value.evidence).toString() };
}

it('states first that it is not a TEE, and never claims hardware (D-30)', async () => {
  const { report, text } = await evidence();
  expect(provider).toMatchObject({ kind: 'software', hardware: false });
  expect(report).toMatchObject({ format: 'software-statement', issuedAt: 1_700_000_000 });
  expect(JSON.parse(text)).toMatchObject({
    statement: expect.stringMatching(/^NOT A TEE/),
    reportData: toHex(ourReportData),
    issuedAt: 1_700_000_000,
    signer: key.address,
  });
});

it('is signed by the enclave key over all other fields, in canonical JSON (D-76)', async () => {
  const { text } = await evidence();
  const { signature, ...said } = JSON.parse(text) as { signature: string; statement: string };
  expect(text).toBe(canonicalize({ ...said, signature }));
  expect(verifyMessage(canonicalize(said) ?? '', signature).toLowerCase()).toBe(key.address);
  const changed = { ...said, statement: said.statement.replace('NOT A', 'A') };
  expect(verifyMessage(canonicalize(changed) ?? '', signature).toLowerCase()).not.toBe(key.address);
});
