import { attestationBinding } from '@paid-inference/contract/constants';
import type { Clock } from '../../types/clock.ts';
import { fail, ok, type Result } from '../../types/result.ts';
import { parseObject } from './json.ts';
import { callLocal } from './local-http.ts';
import {
  type AttestationProvider,
  failed,
  otherReportData,
  type Report,
  type ReportFault,
} from './provider.ts';

export type ConfidentialSpaceOptions = {
  /** Of the launcher that runs our container. */
  readonly socket: string;
  readonly timeoutMs: number;
  readonly clock: Clock;
};

/** Other models are machines whose memory the host can read, `GCP_SHIELDED_VM` among them. */
const trustedModel = /^GCP_(AMD_SEV|INTEL_TDX)/;
/** On another system whoever rents the machine may log in. */
const trustedSystem = 'CONFIDENTIAL_SPACE';
/** Of every image but those for debugging, where an operator may log in. */
const closedStatus = 'disabled-since-boot';

/**
 * Tokens of Confidential Space by way of the launcher: the attestation service looks at the machine and signs a JWT whose
 * nonces are the two halves of the report data in hex (D-78).
 * @see https://cloud.google.com/confidential-computing/confidential-space/docs/connect-external-resources
 */
export function createConfidentialSpaceProvider(options: ConfidentialSpaceOptions): AttestationProvider {
  const { socket, timeoutMs, clock } = options;
  return {
    kind: 'confidential-space',
    hardware: true,
    concurrentMax: 4,
    async attest(reportData) {
      const nonces = noncesOf(reportData);
      const answer = await callLocal({
        server: { socket },
        method: 'POST',
        path: '/v1/token',
        // The launcher refuses a body with any other field.
        body: { audience: attestationBinding, token_type: 'OIDC', nonces },
        deadline: AbortSignal.timeout(timeoutMs),
      });
      if (!answer.ok) return answer;
      const { status, text } = answer.value;
      if (status !== 200) return fail(failed(`the launcher gave no token (HTTP ${status})`));
      return accept(text.trim(), nonces);
    },
  };

  function accept(token: string, nonces: readonly string[]): Result<Report, ReportFault> {
    const claims = claimsOf(token);
    if (claims === null) return fail(failed('what the launcher gave is no token'));
    const carried: unknown = claims['eat_nonce'];
    const isOurs =
      Array.isArray(carried) &&
      nonces.every((nonce) => carried.includes(nonce)) &&
      claims['aud'] === attestationBinding;
    if (!isOurs) return fail(otherReportData);
    const model = String(claims['hwmodel']);
    if (!trustedModel.test(model)) {
      return fail(failed(`the machine is a ${model}, which is no trusted execution environment`));
    }
    if (claims['swname'] !== trustedSystem)
      return fail(failed('the machine does not run Confidential Space'));
    if (claims['dbgstat'] !== closedStatus) {
      return fail(failed('the machine runs a debug image, open to its operator'));
    }
    return ok({
      format: 'jwt',
      evidence: Buffer.from(token),
      measurements: measurementsOf(claims),
      issuedAt: clock.nowSeconds(),
    });
  }
}

/** 64 hex digits each: within the 10 to 74 bytes that a nonce may have in every version of the service. */
function noncesOf(reportData: Uint8Array): readonly [string, string] {
  const half = (from: number) => Buffer.from(reportData.subarray(from, from + 32)).toString('hex');
  return [half(0), half(32)];
}

function claimsOf(token: string): Readonly<Record<string, unknown>> | null {
  const [, payload] = /^[\w-]+\.([\w-]+)\.[\w-]+$/.exec(token) ?? [];
  return payload === undefined ? null : parseObject(Buffer.from(payload, 'base64url').toString());
}

function measurementsOf(claims: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const container = member(member(claims['submods'], 'container'), 'image_digest');
  const named = { hwmodel: claims['hwmodel'], swname: claims['swname'], image_digest: container };
  return Object.fromEntries(
    Object.entries(named).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
