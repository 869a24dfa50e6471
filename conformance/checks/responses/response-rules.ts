import { mimeType } from '@paid-inference/contract/constants';
import { type Check, check, type JudgedId } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import { bodyFor, type PaidEndpoint } from '../../sources/bodies.ts';
import { is, isCount, isString, jsonBody, readMediaType, worst, written } from '../../sources/judgements.ts';
import { type Paid, served, servedBody } from '../../sources/paid-source.ts';
import { type Found, found, given, missing } from '../../types/found.ts';
import { broken, holds, type Judgement } from '../../types/verdict.ts';
import { isObject, type JsonObject, member } from '../../wire/base64-json.ts';
import type { Answered } from '../../wire/exchange.ts';

/**
 * A rule for every paid response of one kind. If the response lacks the judged part, the verdict is unknown.
 */
export type ResponseRule = {
  readonly requirement: JudgedId;
  readonly title: string;
  readonly judge: (answered: Answered, payer: string) => Judgement;
};

/** Creates a check for each rule, of one paid response. */
export function createChecks(
  rules: readonly ResponseRule[],
  paid: (context: Context) => Promise<Found<Paid>>,
): readonly Check[] {
  return rules.map(({ requirement, title, judge }) =>
    check(requirement, title, (context) =>
      given(served(paid(context)), ({ answered, payment }) => judge(answered, payment.authorization.from)),
    ),
  );
}

/** Checks that the media type of the response is JSON (§4.1). */
export function declaredAsJson(requirement: JudgedId): ResponseRule {
  return {
    requirement,
    title: `The Content-Type of the response is \`${mimeType}\``,
    judge: (answered) => is(readMediaType(answered), (value) => value === mimeType, `"${mimeType}"`),
  };
}

/**
 * Checks the `object` field. A body that is no JSON object fails here, and its other fields are inconclusive.
 */
export function object(requirement: JudgedId, kind: string): ResponseRule {
  return {
    requirement,
    title: `\`object\` is "${kind}"`,
    judge: (answered) => {
      const response = jsonBody(answered);
      if (!response.ok)
        return broken(`a JSON object with \`object\` "${kind}"`, written(answered.outcome.body));
      return is(response.value['object'], (value) => value === kind, `"${kind}"`);
    },
  };
}

/** Checks a field of the response; `path` may lead into objects. */
export function field(
  requirement: JudgedId,
  path: string,
  test: (value: unknown) => boolean,
  expected: string,
): ResponseRule {
  return {
    requirement,
    title: `\`${path}\` is ${expected}`,
    judge: (answered) =>
      ofBody(answered, (response) => is(path.split('.').reduce<unknown>(member, response), test, expected)),
  };
}

/** Checks that the response has choices. */
export function choices(requirement: JudgedId): ResponseRule {
  return {
    requirement,
    title: '`choices` is an array with at least one entry',
    judge: (answered) =>
      ofBody(answered, ({ choices: all }) =>
        Array.isArray(all) && all.length > 0 && all.every(isObject)
          ? holds()
          : broken('a non-empty array of objects', written(all)),
      ),
  };
}

/** Checks a rule for every choice. */
export function choice(
  requirement: JudgedId,
  title: string,
  judge: (choice: JsonObject) => Judgement,
): ResponseRule {
  return {
    requirement,
    title,
    judge: (answered) =>
      ofBody(answered, (response) => {
        const all = readChoices(response);
        return all.ok ? worst(all.value.map(judge)) : all.verdict;
      }),
  };
}

function ofBody(answered: Answered, judge: (response: JsonObject) => Judgement): Judgement {
  const response = jsonBody(answered);
  return response.ok ? judge(response.value) : response.verdict;
}
/** The token count of a response. Another check judges whether the count is valid. */
export function completionTokens({ usage }: JsonObject): Found<number> {
  const count = member(usage, 'completion_tokens');
  return isCount(count) ? found(Number(count)) : missing('the response has no valid usage.completion_tokens');
}

/**
 * Checks that the response counts no more tokens than requested. The contract does not define how tokens are
 * counted, so this is no MUST.
 */
export function withinMaximum(
  requirement: JudgedId,
  endpoint: PaidEndpoint,
  source: (context: Context) => Promise<Found<Paid>>,
): Check {
  return check(requirement, '`usage.completion_tokens` is within `max_tokens`', async (context) => {
    const { max_tokens: maximum } = bodyFor(endpoint, context.model);
    if (maximum === undefined) throw new Error('the suite made a body without max_tokens');
    const body = await servedBody(source(context));
    if (!body.ok) return body.verdict;
    const count = completionTokens(body.value);
    if (!count.ok) return count.verdict;
    return is(count.value, () => count.value <= maximum, `at most the requested ${maximum}`);
  });
}

export function readChoices({ choices }: JsonObject): Found<readonly JsonObject[]> {
  return Array.isArray(choices) && choices.length > 0 && choices.every(isObject)
    ? found(choices)
    : missing('the response has no valid choices');
}

/** Whether a value is a Unix time in seconds, not milliseconds: between the years 2001 and 5138. */
export function isUnixSeconds(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 1e9 && Number(value) < 1e11;
}

/** The texts of all choices. */
export function readTexts(one: Answered): readonly string[] {
  const response = jsonBody(one);
  const choices = response.ok ? readChoices(response.value) : response;
  if (!choices.ok) return [];
  return choices.value
    .flatMap((choice) => [choice['text'], member(choice['message'], 'content')])
    .filter(isString);
}
