import { check, type JudgedId } from '../engine/check.ts';
import type { Context } from '../engine/context.ts';
import { andThen, type Found, found, given, missing } from '../engine/found.ts';
import { broken, holds, type Judgement } from '../engine/verdict.ts';
import { isObject, type JsonObject, member } from '../wire/base64-json.ts';
import { is, worst, written } from './judgements.ts';

type Body = (context: Context) => Promise<Found<JsonObject>>;

/** Checks of one kind of answer, all of which read the same body. */
export function answerChecks(body: Body) {
  return {
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

export function choicesOf({ choices }: JsonObject): Found<readonly JsonObject[]> {
  return Array.isArray(choices) && choices.length > 0 && choices.every(isObject)
    ? found(choices)
    : missing('the answer has no choices to look at');
}

/** Seconds, not milliseconds: between 2001 and 5138. */
export function isUnixSeconds(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 1e9 && Number(value) < 1e11;
}
