import { type Found, found, missing } from '../types/found.ts';
import {
  type Broken,
  broken,
  type Holds,
  holds,
  type Judgement,
  type Unknown,
  unknown,
} from '../types/verdict.ts';
import { decodeJson, isObject, type JsonObject } from '../wire/base64-json.ts';
import type { Answered, Exchange } from '../wire/exchange.ts';
import { jsonText } from '../wire/json-text.ts';
import { readRetryAfter } from '../wire/retry-after.ts';

/** Transient statuses, which say nothing about the request: rate limit, bad upstream, overload, timeout. */
export const transientStatuses = new Set([429, 502, 503, 504]);
/**
 * Statuses that may refuse a payment. The contract requires 401 for signatures and leaves the choice otherwise.
 */
const refusingStatuses = new Set([400, 401, 402]);

/** Describes a response: status, error code if present, and `Retry-After` of a transient status. */
export function describe({ outcome: { status, headers, body } }: Answered): string {
  const code = readError(body)?.['code'];
  const retryAfter = transientStatuses.has(status) ? readRetryAfter(headers) : '';
  return `${status}${typeof code === 'string' ? ` with code ${written(code)}` : ''}${retryAfter}`;
}

/** The unknown verdict of a transient response; undefined if the response can be judged. */
export function judgeTransient(answered: Answered): Unknown | undefined {
  return transientStatuses.has(answered.outcome.status)
    ? unknown(`request ${answered.number} got the transient status ${describe(answered)}. Try again later`)
    : undefined;
}

/** Judges the status alone. */
export function hasStatus(answered: Answered, status: number): Holds | Broken | Unknown {
  if (answered.outcome.status === status) return holds();
  return judgeTransient(answered) ?? broken(`status ${status}`, describe(answered));
}

/** Whether a payment was refused with a status that the contract allows for refusals (D-123). */
export function isRefusal({ outcome }: Exchange): boolean {
  return outcome.kind === 'response' && refusingStatuses.has(outcome.status);
}

/** Judges whether a payment was refused. */
export function isRefused(answered: Answered): Holds | Broken | Unknown {
  if (isRefusal(answered)) return holds(`refused: ${describe(answered)}`);
  return judgeTransient(answered) ?? broken('a refusal: 400, 401 or 402', describe(answered));
}

/** The JSON object in the body of a response. */
export function jsonBody(answered: Answered): Found<JsonObject> {
  const read = decodeJson(Buffer.from(answered.outcome.body));
  return read.ok && isObject(read.value)
    ? found(read.value)
    : missing(`the body of response ${answered.number} is not a JSON object`);
}

/** The `error` object of a body, if there is one. */
export function readError(body: string): JsonObject | undefined {
  const read = decodeJson(Buffer.from(body));
  const error = read.ok && isObject(read.value) ? read.value['error'] : undefined;
  return isObject(error) ? error : undefined;
}

/** The media type of a response in lower case, without parameters. */
export function readMediaType({ outcome }: Answered): string | undefined {
  return outcome.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
}

/** Judges one value; `expected` describes the condition in words. */
export function is(value: unknown, test: (value: unknown) => boolean, expected: string): Judgement {
  return test(value) ? holds() : broken(expected, written(value));
}

/** A value as JSON, for a message. The report redacts and shortens it. */
export function written(value: unknown): string {
  return value === undefined ? 'nothing' : jsonText(value);
}

export function isString(value: unknown): value is string {
  return typeof value === 'string';
}

/** An identifier: an empty string names nothing (D-233). */
export function isName(value: unknown): value is string {
  return isString(value) && value !== '';
}

export function isCount(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0;
}

/** The first verdict that is not `holds`, otherwise the first verdict. Unknown if the list is empty. */
export function worst<T extends Judgement>(verdicts: readonly T[]): T | Unknown {
  const [first = unknown('there was nothing to judge')] = verdicts;
  return verdicts.find((verdict) => verdict.kind !== 'holds') ?? first;
}
