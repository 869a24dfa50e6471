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
  /** Of nitriding's enclave-internal server, which takes the application's hash. */
  readonly internalUrl: string;
  /** Of its public server, which hands documents out. */
  readonly publicUrl: string;
  readonly timeoutMs: number;
  readonly clock: Clock;
};

const nonceBytes = 20;
/** `sha256:` and the hash of nitriding's certificate, `;sha256:` and the application's hash. */
const userDataPattern = {
  bytes: 79,
  first: 'sha256:',
  second: ';sha256:',
  secondAt: 39,
  hashAt: 47,
} as const;

/**
 * Documents of AWS Nitro by way of nitriding, which speaks to the security module and has room for less than 64 bytes: its
 * application hash takes the first half of the report data, its nonce the first 20 bytes of sha256 of all of it (D-77).
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
      // Again for every report: nitriding forgets it when it starts anew, and the same hash changes nothing.
      const set = await callLocal({
        server: { url: internalUrl },
        method: 'POST',
        path: '/enclave/hash',
        body: Buffer.from(applicationHashOf(reportData)).toString('base64'),
        deadline,
      });
      if (!set.ok) return set;
      if (set.value.status !== 200) {
        return fail(failed(`nitriding did not take the application's hash (HTTP ${set.value.status})`));
      }
      const nonce = Buffer.from(nitridingNonceOf(reportData)).toString('hex');
      const answer = await callLocal({
        server: { url: publicUrl },
        method: 'GET',
        path: `/enclave/attestation?nonce=${nonce}`,
        deadline,
      });
      if (!answer.ok) return answer;
      if (answer.value.status !== 200) {
        return fail(failed(`nitriding made no attestation document (HTTP ${answer.value.status})`));
      }
      return accept(answer.value.text.trim(), reportData);
    },
  };

  function accept(text: string, reportData: Uint8Array): Result<Report, ReportFault> {
    const evidence = /^[A-Za-z0-9+/]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : null;
    const document = evidence && readNitroDocument(evidence);
    if (evidence === null || document === null)
      return fail(failed('nitriding answered with no Nitro document'));
    const isOurs =
      document.nonce !== null &&
      sameBytes(document.nonce, nitridingNonceOf(reportData)) &&
      carriesHash(document.userData, applicationHashOf(reportData));
    if (!isOurs) return fail(otherReportData);
    if (document.isDebug) return fail(failed('the enclave runs in debug mode, its console open to the host'));
    const { measurements } = document;
    return ok({ format: 'nitro-document', evidence, measurements, issuedAt: clock.nowSeconds() });
  }
}

function applicationHashOf(reportData: Uint8Array): Uint8Array {
  return reportData.subarray(0, 32);
}

function nitridingNonceOf(reportData: Uint8Array): Uint8Array {
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
