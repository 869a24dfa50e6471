import { type Check, check, type JudgedId } from '../engine/check.ts';
import type { Context } from '../engine/context.ts';
import { andThen, type Found, found, given, missing } from '../engine/found.ts';
import { broken, holds, type Judgement } from '../engine/verdict.ts';
import { isObject, type JsonObject, member } from '../wire/base64-json.ts';
import { bodyFor, type PaidEndpoint } from './bodies.ts';
import { is, isCount, jsonBody, worst, written } from './judgements.ts';
import { type Paid, served, servedBody } from './paid-source.ts';

type Body = (context: Context) => Promise<Found<JsonObject>>;

/** Checks of one kind of paid answer, all of which read the same body. */
export function answerChecks(paid: (context: Context) => Promise<Found<Paid>>) {
  const body: Body = (context) => servedBody(paid(context));
  return {
    /** The answer is an object of its kind; what is none at all fails here, and leaves its fields unjudged. */
    object: (requirement: JudgedId, kind: string) =>
      check(requirement, `\`object\` is "${kind}"`, (context) =>
        given(served(paid(context)), ({ answered }) => {
          const answer = jsonBody(answered);
          if (!answer.ok)
            return broken(`a JSON object of the kind "${kind}"`, written(answered.outcome.body));
          return is(answer.value['object'], (value) => value === kind, `"${kind}"`);
        }),
      ),

    /** A field of the answer; `path` may lead into objects. */
    field: (requirement: JudgedId, path: string, test: (value: unknown) => boolean, expected: string) =>
      check(requirement, `\`${path}\` is ${expected}`, (context) =>
        given(body(context), (answer) => is(path.split('.').reduce<unknown>(member, answer), test, expected)),
      ),

    /** There are choices at all. */
    choices: (requirement: JudgedId) =>
      check(requirement, '`choices` is an array with an entry or more', (context) =>
        given(body(context), ({ choices }) =>
          Array.isArray(choices) && choices.length > 0 && choices.every(isObject)
            ? holds()
            : broken('an array of objects, not empty', written(choices)),
        ),
      ),

    /** Something that holds of every choice. */
    choice: (requirement: JudgedId, title: string, judge: (choice: JsonObject) => Judgement) =>
      check(requirement, title, (context) =>
        given(andThen(body(context), choicesOf), (choices) => worst(choices.map(judge))),
      ),
  };
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
