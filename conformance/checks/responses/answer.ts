import { mimeType } from '@paid-inference/contract/constants';
import { type Check, check, type JudgedId } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import { bodyFor, type PaidEndpoint } from '../../sources/bodies.ts';
import { essenceOf, is, isCount, jsonBody, worst, written } from '../../sources/judgements.ts';
import { type Paid, served, servedBody } from '../../sources/paid-source.ts';
import { andThen, type Found, found, given, missing } from '../../types/found.ts';
import { broken, holds, type Judgement } from '../../types/verdict.ts';
import { isObject, type JsonObject, member } from '../../wire/base64-json.ts';
import type { Answered } from '../../wire/exchange.ts';

/** Something that holds of every paid answer of one kind. Where there is nothing to look at, nothing is known. */
export type AnswerRule = {
  readonly requirement: JudgedId;
  readonly title: string;
  readonly judge: (answered: Answered, payer: string) => Judgement;
};

/** A check for each rule, of one paid answer. */
export function checksOf(
  rules: readonly AnswerRule[],
  paid: (context: Context) => Promise<Found<Paid>>,
): readonly Check[] {
  return rules.map(({ requirement, title, judge }) =>
    check(requirement, title, (context) =>
      given(served(paid(context)), ({ answered, payment }) => judge(answered, payment.authorization.from)),
    ),
  );
}

/** The answer is declared as JSON (contract 4.1). */
export function declaredAsJson(requirement: JudgedId): AnswerRule {
  return {
    requirement,
    title: `The answer is declared as \`${mimeType}\``,
    judge: (answered) => is(essenceOf(answered), (value) => value === mimeType, `"${mimeType}"`),
  };
}

/** The answer is an object of its kind; what is none at all fails here, and leaves its fields unjudged. */
export function object(requirement: JudgedId, kind: string): AnswerRule {
  return {
    requirement,
    title: `\`object\` is "${kind}"`,
    judge: (answered) => {
      const answer = jsonBody(answered);
      if (!answer.ok) return broken(`a JSON object of the kind "${kind}"`, written(answered.outcome.body));
      return is(answer.value['object'], (value) => value === kind, `"${kind}"`);
    },
  };
}

/** A field of the answer; `path` may lead into objects. */
export function field(
  requirement: JudgedId,
  path: string,
  test: (value: unknown) => boolean,
  expected: string,
): AnswerRule {
  return {
    requirement,
    title: `\`${path}\` is ${expected}`,
    judge: (answered) =>
      ofBody(answered, (answer) => is(path.split('.').reduce<unknown>(member, answer), test, expected)),
  };
}

/** There are choices at all. */
export function choices(requirement: JudgedId): AnswerRule {
  return {
    requirement,
    title: '`choices` is an array with an entry or more',
    judge: (answered) =>
      ofBody(answered, ({ choices: all }) =>
        Array.isArray(all) && all.length > 0 && all.every(isObject)
          ? holds()
          : broken('an array of objects, not empty', written(all)),
      ),
  };
}

/** Something that holds of every choice. */
export function choice(
  requirement: JudgedId,
  title: string,
  judge: (choice: JsonObject) => Judgement,
): AnswerRule {
  return {
    requirement,
    title,
    judge: (answered) =>
      ofBody(answered, (answer) => {
        const all = choicesOf(answer);
        return all.ok ? worst(all.value.map(judge)) : all.verdict;
      }),
  };
}

function ofBody(answered: Answered, judge: (answer: JsonObject) => Judgement): Judgement {
  const answer = jsonBody(answered);
  return answer.ok ? judge(answer.value) : answer.verdict;
}
/** How many tokens an answer counts; whether it counts them at all is judged elsewhere. */
export function completionTokens({ usage }: JsonObject): Found<number> {
  const count = member(usage, 'completion_tokens');
  return isCount(count) ? found(Number(count)) : missing('the answer counts no completion_tokens');
}

/** No more tokens were counted than were asked for; how tokens are counted is not shown, hence no MUST. */
export function withinMaximum(
  requirement: JudgedId,
  endpoint: PaidEndpoint,
  source: (context: Context) => Promise<Found<Paid>>,
): Check {
  return check(requirement, '`usage.completion_tokens` is within `max_tokens`', (context) => {
    const { max_tokens: maximum } = bodyFor(endpoint, context.model);
    if (maximum === undefined) throw new Error('the suite asked without max_tokens');
    return given(andThen(servedBody(source(context)), completionTokens), (count) =>
      is(count, () => count <= maximum, `at most ${maximum}, as was asked`),
    );
  });
}

export function choicesOf({ choices }: JsonObject): Found<readonly JsonObject[]> {
  return Array.isArray(choices) && choices.length > 0 && choices.every(isObject)
    ? found(choices)
    : missing('the answer has no choices to look at');
}

/** Seconds, not milliseconds: between 2001 and 5138. */
export function isUnixSeconds(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 1e9 && Number(value) < 1e11;
}
