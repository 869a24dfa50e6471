import { createHash } from 'node:crypto';
import type { Clock } from '../../types/clock.ts';
import { fail, ok, type Result } from '../../types/result.ts';
import { callLocal } from './local-http.ts';
import { readNitroDocument } from './nitro-document.ts';
import {
  type AttestationProvider,
  failed,
  otherReportData,
  type Report,
  type ReportFault,
  sameBytes,
} from './provider.ts';

export type NitridingOptions = {
  /** The URL of nitriding's enclave-internal server, which takes the application's hash. */
  readonly internalUrl: string;
  /** The URL of its public server, which returns documents. */
  readonly publicUrl: string;
  readonly timeoutMs: number;
  readonly clock: Clock;
};

const nonceBytes = 20;
/**
 * The user data: `sha256:` and the hash of nitriding's certificate, then `;sha256:` and the application's hash.
 */
const userDataPattern = {
  bytes: 79,
  first: 'sha256:',
  second: ';sha256:',
  secondAt: 39,
  hashAt: 47,
} as const;

/**
 * Gets documents of AWS Nitro from nitriding, which calls the security module and has room for less than 64
 * bytes. Its application hash takes the first half of the report data, its nonce the first 20 bytes of the
 * SHA-256 of all of it (D-77).
 * @see https://github.com/brave/nitriding-daemon/blob/master/doc/http-api.md
 */
export function createNitridingProvider(options: NitridingOptions): AttestationProvider {
  const { internalUrl, publicUrl, timeoutMs, clock } = options;
  return {
    kind: 'nitriding',
    hardware: true,
    concurrentMax: 4,
    async attest(reportData) {
      const deadline = AbortSignal.timeout(timeoutMs);
      // Set the hash for every report: nitriding loses it at a restart, and setting it again changes nothing.
      const set = await callLocal({
        server: { url: internalUrl },
        method: 'POST',
        path: '/enclave/hash',
        body: Buffer.from(computeApplicationHash(reportData)).toString('base64'),
        deadline,
      });
      if (!set.ok) return set;
      if (set.value.status !== 200) {
        return fail(failed(`nitriding rejected the application's hash (HTTP ${set.value.status})`));
      }
      const nonce = Buffer.from(computeNonce(reportData)).toString('hex');
      const response = await callLocal({
        server: { url: publicUrl },
        method: 'GET',
        path: `/enclave/attestation?nonce=${nonce}`,
        deadline,
      });
      if (!response.ok) return response;
      if (response.value.status !== 200) {
        return fail(failed(`nitriding returned no attestation document (HTTP ${response.value.status})`));
      }
      return accept(response.value.text.trim(), reportData);
    },
  };

  function accept(text: string, reportData: Uint8Array): Result<Report, ReportFault> {
    const evidence = /^[A-Za-z0-9+/]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : null;
    const document = evidence && readNitroDocument(evidence);
    if (evidence === null || document === null)
      return fail(failed("nitriding's response is not a Nitro document"));
    const isOurs =
      document.nonce !== null &&
      sameBytes(document.nonce, computeNonce(reportData)) &&
      carriesHash(document.userData, computeApplicationHash(reportData));
    if (!isOurs) return fail(otherReportData);
    if (document.isDebug)
      return fail(failed('the enclave runs in debug mode, and the host can read its console'));
    const { measurements } = document;
    return ok({ format: 'nitro-document', evidence, measurements, issuedAt: clock.nowSeconds() });
  }
}

function computeApplicationHash(reportData: Uint8Array): Uint8Array {
  return reportData.subarray(0, 32);
}

function computeNonce(reportData: Uint8Array): Uint8Array {
  return createHash('sha256').update(reportData).digest().subarray(0, nonceBytes);
}

function carriesHash(userData: Uint8Array | null, hash: Uint8Array): boolean {
  const { bytes, first, second, secondAt, hashAt } = userDataPattern;
  if (userData === null || userData.length !== bytes) return false;
  const text = (from: number, to: number) => Buffer.from(userData.subarray(from, to)).toString('latin1');
  return (
    text(0, first.length) === first &&
    text(secondAt, hashAt) === second &&
    sameBytes(userData.subarray(hashAt), hash)
  );
}
