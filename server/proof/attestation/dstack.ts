import type { Clock } from '../../types/clock.ts';
import { fail, ok, type Result } from '../../types/result.ts';
import { acceptReport, type HardwareFormat } from './hardware-report.ts';
import { parseObject } from './json.ts';
import { callLocal, type LocalResponse } from './local-http.ts';
import { type MessagePack, readMessagePack } from './messagepack.ts';
import { type AttestationProvider, failed, type Report, type ReportFault } from './provider.ts';

export type DstackOptions = {
  /** The Unix socket of the guest agent. */
  readonly socket: string;
  readonly timeoutMs: number;
  readonly clock: Clock;
};

/**
 * Gets reports of a dstack guest agent over its socket. Every agent since 0.3 supports `GetQuote` on TDX. When
 * an agent rejects it, `Attest` (agents from 0.6) names the hardware, and the provider takes the hardware's own
 * report from it.
 * @see https://github.com/Dstack-TEE/dstack/blob/master/docs/guest-api-v1.md
 */
export function createDstackProvider({ socket, timeoutMs, clock }: DstackOptions): AttestationProvider {
  return {
    kind: 'dstack',
    hardware: true,
    concurrentMax: 4,
    async attest(reportData) {
      const deadline = AbortSignal.timeout(timeoutMs);
      const ask = (path: string) =>
        callLocal({
          server: { socket },
          method: 'POST',
          path,
          body: { report_data: Buffer.from(reportData).toString('hex') },
          deadline,
        });
      const quoted = await ask('/GetQuote');
      if (!quoted.ok) return quoted;
      if (!isRefusal(quoted.value)) return quoteReport(quoted.value, reportData);
      const attested = await ask('/v1/Attest');
      if (!attested.ok) return attested;
      if (attested.value.status === 404) return fail(describeRejection('GetQuote', quoted.value));
      return attestReport(attested.value, reportData);
    },
  };

  function quoteReport(response: LocalResponse, reportData: Uint8Array): Result<Report, ReportFault> {
    const object = response.status === 200 ? parseObject(response.text) : null;
    if (object === null || 'error' in object) return fail(describeRejection('GetQuote', response));
    const quote = parseHexBytes(object['quote']);
    if (quote === null) return fail(failed('the agent responded to GetQuote without a quote'));
    const report = acceptReport('tdx-quote', quote, reportData, clock.nowSeconds());
    if (!report.ok) return report;
    // The log of the registers' extensions, from which a verifier computes the expected values.
    const logs = ['event_log', 'vm_config'].flatMap((name) => {
      const text = object[name];
      return typeof text === 'string' && text !== '' ? [[name, text]] : [];
    });
    return ok({
      ...report.value,
      measurements: { ...report.value.measurements, ...Object.fromEntries(logs) },
    });
  }

  function attestReport(response: LocalResponse, reportData: Uint8Array): Result<Report, ReportFault> {
    const object = response.status === 200 ? parseObject(response.text) : null;
    if (object === null || 'error' in object) return fail(describeRejection('Attest', response));
    const found = platformReport(parseHexBytes(object['attestation']));
    return found.ok
      ? acceptReport(found.value.format, found.value.bytes, reportData, clock.nowSeconds())
      : found;
  }
}

/** The field with the processor's report and its format, by the agent's name of the platform. */
const platforms = new Map<
  MessagePack | undefined,
  { readonly field: string; readonly format: HardwareFormat }
>([
  ['tdx', { field: 'quote', format: 'tdx-quote' }],
  ['gcp-tdx', { field: 'quote', format: 'tdx-quote' }],
  ['sev-snp', { field: 'report', format: 'sev-snp-report' }],
]);

/**
 * Reads the processor's own report from a versioned attestation, `{ platform: { kind, data } }` in MessagePack.
 */
function platformReport(
  attestation: Uint8Array | null,
): Result<{ readonly format: HardwareFormat; readonly bytes: Uint8Array }, ReportFault> {
  const read = attestation && readMessagePack(attestation);
  const platform = member(read?.value, 'platform');
  const kind = member(platform, 'kind');
  const known = platforms.get(kind);
  if (known === undefined) {
    const named =
      typeof kind === 'string' ? `of the unsupported platform "${kind}"` : 'of an unsupported form';
    return fail(failed(`the agent responded to Attest with an attestation ${named}`));
  }
  const bytes = readBytes(member(member(platform, 'data'), known.field));
  if (bytes === null) return fail(failed(`the agent responded to Attest without a ${known.field}`));
  return ok({ format: known.format, bytes });
}

function member(value: MessagePack | undefined, name: string): MessagePack | undefined {
  return value instanceof Map ? (value.get(name) as MessagePack | undefined) : undefined;
}

/** Reads bytes, or the list of numbers that the agent's serializer writes for bytes. */
function readBytes(value: MessagePack | undefined): Uint8Array | null {
  if (value instanceof Uint8Array) return value;
  return Array.isArray(value) && value.every((each) => typeof each === 'number') ? Buffer.from(value) : null;
}

function parseHexBytes(value: unknown): Uint8Array | null {
  const isHex = typeof value === 'string' && /^(0x)?([0-9a-fA-F]{2})+$/.test(value);
  return isHex ? Buffer.from(value.replace(/^0x/, ''), 'hex') : null;
}

/**
 * Whether the agent rejected a call, as `GetQuote` without TDX. A future agent may not know `GetQuote` at all.
 */
function isRefusal({ status }: LocalResponse): boolean {
  return status >= 400 && status < 500;
}

const refusalLengthMax = 200;

function describeRejection(method: string, { status, text }: LocalResponse): ReportFault {
  const said = parseObject(text)?.['error'];
  const why = typeof said === 'string' ? `: ${said.replace(/\s+/g, ' ').slice(0, refusalLengthMax)}` : '';
  return failed(`the agent rejected ${method} (HTTP ${status})${why}`);
}
