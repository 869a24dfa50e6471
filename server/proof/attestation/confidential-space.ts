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
  /** The Unix socket of the launcher that runs our container. */
  readonly socket: string;
  readonly timeoutMs: number;
  readonly clock: Clock;
};

/** Machine models whose memory the host cannot read. `GCP_SHIELDED_VM`, for example, is not one of them. */
const trustedModel = /^GCP_(AMD_SEV|INTEL_TDX)/;
/** The system on which the renter of the machine cannot log in. */
const trustedSystem = 'CONFIDENTIAL_SPACE';
/** The status of every image except debug images, on which an operator can log in. */
const closedStatus = 'disabled-since-boot';

/**
 * Gets tokens of Confidential Space from the launcher. The attestation service checks the machine and signs a
 * JWT whose nonces are the two halves of the report data in hex (D-78).
 * @see https://cloud.google.com/confidential-computing/confidential-space/docs/connect-external-resources
 */
export function createConfidentialSpaceProvider(options: ConfidentialSpaceOptions): AttestationProvider {
  const { socket, timeoutMs, clock } = options;
  return {
    kind: 'confidential-space',
    hardware: true,
    concurrentMax: 4,
    async attest(reportData) {
      const nonces = splitNonces(reportData);
      const response = await callLocal({
        server: { socket },
        method: 'POST',
        path: '/v1/token',
        // The launcher rejects a body with any other field.
        body: { audience: attestationBinding, token_type: 'OIDC', nonces },
        deadline: AbortSignal.timeout(timeoutMs),
      });
      if (!response.ok) return response;
      const { status, text } = response.value;
      if (status !== 200) return fail(failed(`the launcher returned no token (HTTP ${status})`));
      return accept(text.trim(), nonces);
    },
  };

  function accept(token: string, nonces: readonly string[]): Result<Report, ReportFault> {
    const claims = parseClaims(token);
    if (claims === null) return fail(failed("the launcher's response is not a token"));
    const carried: unknown = claims['eat_nonce'];
    const isOurs =
      Array.isArray(carried) &&
      nonces.every((nonce) => carried.includes(nonce)) &&
      claims['aud'] === attestationBinding;
    if (!isOurs) return fail(otherReportData);
    const model = String(claims['hwmodel']);
    if (!trustedModel.test(model)) {
      return fail(failed(`the machine is a ${model}, which is not a trusted execution environment`));
    }
    if (claims['swname'] !== trustedSystem)
      return fail(failed('the machine does not run Confidential Space'));
    if (claims['dbgstat'] !== closedStatus) {
      return fail(failed('the machine runs a debug image, open to its operator'));
    }
    return ok({
      format: 'jwt',
      evidence: Buffer.from(token),
      measurements: readMeasurements(claims),
      issuedAt: clock.nowSeconds(),
    });
  }
}

/** Returns 64 hex digits each. Every version of the service allows nonces of 10 to 74 bytes. */
function splitNonces(reportData: Uint8Array): readonly [string, string] {
  const half = (from: number) => Buffer.from(reportData.subarray(from, from + 32)).toString('hex');
  return [half(0), half(32)];
}

function parseClaims(token: string): Readonly<Record<string, unknown>> | null {
  const [, payload] = /^[\w-]+\.([\w-]+)\.[\w-]+$/.exec(token) ?? [];
  return payload === undefined ? null : parseObject(Buffer.from(payload, 'base64url').toString());
}

function readMeasurements(claims: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const container = member(member(claims['submods'], 'container'), 'image_digest');
  const named = { hwmodel: claims['hwmodel'], swname: claims['swname'], image_digest: container };
  return Object.fromEntries(
    Object.entries(named).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
