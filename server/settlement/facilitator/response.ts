import type { HttpResponse } from '../../outbound/http-caller.ts';
import { fail, ok, type Result } from '../../types/result.ts';
import { type Address, type Bytes32, parseAddress, parseBytes32 } from '../../types/units.ts';
import type { NoResponse, OfferedKind, Settled, Supported, Verified } from './facilitator.ts';
import { everyEvmChain, networkNames } from './request.ts';

/** Reasons that concern the facilitator or the gateway's request, so another signature would not help. */
const notOfThePayment = new Set([
  'unexpected_verify_error',
  'invalid_x402_version',
  'unsupported_scheme',
  'invalid_scheme',
  'invalid_exact_evm_scheme',
  'invalid_network',
  'invalid_exact_evm_network_mismatch',
  'invalid_payment_requirements',
  'invalid_exact_evm_missing_eip712_domain',
  'invalid_exact_evm_token_name_mismatch',
  'invalid_exact_evm_token_version_mismatch',
]);

/** Reasons of a `success: false` after which the tokens may have moved, or may move. */
const mayHaveMoved = new Set([
  'settlement_pending',
  'duplicate_settlement',
  'invalid_exact_evm_nonce_already_used',
  'invalid_exact_evm_transfer_event_mismatch',
]);

/** Reads `GET /supported` of either version, and drops invalid kinds. */
export function readSupported(response: HttpResponse): Result<Supported, NoResponse> {
  if (!isSuccess(response)) return noResponse(response);
  const body = parseObject(response.text);
  const kinds = body?.['kinds'];
  if (!Array.isArray(kinds)) return fail('the response to /supported lists no kinds');
  return ok({ kinds: kinds.filter(isKind), signers: readSigners(body?.['signers']) });
}

/** Reads addresses by network. Facilitators list our network by its id, or by the wildcard of its kind. */
function readSigners(value: unknown): readonly Address[] {
  const byNetwork = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  return [networkNames[2], everyEvmChain].flatMap((network) => {
    const listed = byNetwork[network];
    if (!Array.isArray(listed)) return [];
    return listed.flatMap((each) => (typeof each === 'string' ? (parseAddress(each) ?? []) : []));
  });
}

/**
 * Reads `POST /verify`. Some facilitators report an invalid payment with HTTP 200, some with 4xx. An
 * authentication failure, a rate limit and a fault of the facilitator say nothing about the payer, whatever the
 * body holds.
 */
export function readVerified(response: HttpResponse): Result<Verified, NoResponse> {
  const { status, text } = response;
  if (status >= 500 || [401, 403, 408, 429].includes(status)) return noResponse(response);
  const body = parseObject(text);
  if (body?.['isValid'] === true && isSuccess(response)) return ok({ isValid: true });
  if (body?.['isValid'] !== false) return noResponse(response);
  const reason = parseReason(body['invalidReason'], 'invalid_payment');
  if (notOfThePayment.has(reason))
    return fail(`the facilitator does not support the offers of this gateway: ${reason}`);
  // Version 2 has this name for it.
  const isPoor = reason === 'invalid_exact_evm_insufficient_balance';
  return ok({ isValid: false, reason: isPoor ? 'insufficient_funds' : reason });
}

/**
 * Reads `POST /settle`. The body is read first, because some facilitators report a pending settlement with 500.
 */
export function readSettled(response: HttpResponse): Result<Settled, NoResponse> {
  const body = parseObject(response.text);
  const txHash = parseHash(body?.['transaction']);
  if (body?.['success'] === true) {
    if (!isSuccess(response)) return ok({ kind: 'pending', reason: `HTTP ${response.status}`, txHash });
    return txHash === null
      ? fail('the facilitator reported a success without a transaction')
      : ok({ kind: 'done', txHash });
  }
  if (body?.['success'] !== false) return noResponse(response);
  const reason = parseReason(body['errorReason'], 'unexpected_settle_error');
  const isOpen = mayHaveMoved.has(reason) || response.status >= 500;
  return ok({ kind: isOpen ? 'pending' : 'refused', reason, txHash });
}

/** Reasons go into logs and into responses to payers. Any other text, such as an error message, is dropped. */
function parseReason(value: unknown, otherwise: string): string {
  return typeof value === 'string' && /^[a-z0-9_]{1,100}$/.test(value) ? value : otherwise;
}

function parseHash(value: unknown): Bytes32 | null {
  return typeof value === 'string' ? parseBytes32(value) : null;
}

function isKind(value: unknown): value is OfferedKind {
  if (typeof value !== 'object' || value === null) return false;
  const { x402Version, scheme, network } = value as Record<string, unknown>;
  return typeof x402Version === 'number' && typeof scheme === 'string' && typeof network === 'string';
}

function isSuccess({ status }: HttpResponse): boolean {
  return status >= 200 && status <= 299;
}

function noResponse(response: HttpResponse): Result<never, NoResponse> {
  const { status } = response;
  if (status === 401 || status === 403) return fail(`HTTP ${status}: check FACILITATOR_TOKEN`);
  return fail(isSuccess(response) ? 'the response is not valid in x402' : `HTTP ${status}`);
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
