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

/** Answers that pass by themselves and say nothing about the request: too many, upstream down, overloaded, too slow. */
export const transientStatuses = new Set([429, 502, 503, 504]);
/** How a payment may be refused. The contract pins 401 to signatures and leaves the choice elsewhere. */
const refusingStatuses = new Set([400, 401, 402]);

/** The status in a few words, with the error code if there is one, and the patience that is asked for. */
export function describe({ outcome: { status, headers, body } }: Answered): string {
  const code = errorOf(body)?.['code'];
  const retryAfter = transientStatuses.has(status) ? readRetryAfter(headers) : '';
  return `${status}${typeof code === 'string' ? ` with code ${written(code)}` : ''}${retryAfter}`;
}

/** Undefined where the answer can be judged at all. */
export function passing(answered: Answered): Unknown | undefined {
  return transientStatuses.has(answered.outcome.status)
    ? unknown(`request ${answered.number} was answered ${describe(answered)}: another time may do`)
    : undefined;
}

/** Judges the status alone. */
export function hasStatus(answered: Answered, status: number): Holds | Broken | Unknown {
  if (answered.outcome.status === status) return holds();
  return passing(answered) ?? broken(`status ${status}`, describe(answered));
}

/** Whether a payment was turned down, by any of the statuses that the contract has for that (D-123). */
export function isRefusal({ outcome }: Exchange): boolean {
  return outcome.kind === 'answer' && refusingStatuses.has(outcome.status);
}

/** Judges whether a payment was turned down. */
export function isRefused(answered: Answered): Holds | Broken | Unknown {
  if (isRefusal(answered)) return holds(`refused: ${describe(answered)}`);
  return passing(answered) ?? broken('a refusal: 400, 401 or 402', describe(answered));
}

/** The JSON object of an answer's body. */
export function jsonBody(answered: Answered): Found<JsonObject> {
  const read = decodeJson(Buffer.from(answered.outcome.body));
  return read.ok && isObject(read.value)
    ? found(read.value)
    : missing(`the body of answer ${answered.number} is not a JSON object`);
}

/** The `error` object of a body, where there is one. */
export function errorOf(body: string): JsonObject | undefined {
  const read = decodeJson(Buffer.from(body));
  const error = read.ok && isObject(read.value) ? read.value['error'] : undefined;
  return isObject(error) ? error : undefined;
}

/** The declared content type in lower case, without its parameters. */
export function essenceOf({ outcome }: Answered): string | undefined {
  return outcome.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
}

/** Judges one value; `expected` says in words what the test demands. */
export function is(value: unknown, test: (value: unknown) => boolean, expected: string): Judgement {
  return test(value) ? holds() : broken(expected, written(value));
}

/** A value as it may stand in a sentence; the report cuts it, once it is redacted. */
export function written(value: unknown): string {
  return value === undefined ? 'nothing' : jsonText(value);
}

export function isString(value: unknown): value is string {
  return typeof value === 'string';
}

export function isCount(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0;
}

/** The first verdict that is not `holds`, else the first; of nothing, nothing is known. */
export function worst<T extends Judgement>(verdicts: readonly T[]): T | Unknown {
  const [first = unknown('there was nothing to judge')] = verdicts;
  return verdicts.find((verdict) => verdict.kind !== 'holds') ?? first;
}
