import { mimeType } from '@paid-inference/contract/constants';
import { type Check, check, type JudgedId } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import { is, isString, readError, readMediaType, written } from '../../sources/judgements.ts';
import { type Found, given } from '../../types/found.ts';
import { broken, holds } from '../../types/verdict.ts';
import type { Answered } from '../../wire/exchange.ts';

type EnvelopeIds = {
  readonly envelope: JudgedId;
  readonly type: JudgedId;
  readonly code: JudgedId;
  readonly contentType?: JudgedId;
};

/** Checks of the parts of an error body (§7), in a response that already has the right status. */
export function envelopeChecks(
  ids: EnvelopeIds,
  name: string,
  error: { readonly type: string; readonly code: string },
  source: (context: Context) => Promise<Found<Answered>>,
): Check[] {
  return [
    check(ids.envelope, `\`error\` of ${name} has message, type and code`, (context) =>
      given(source(context), (answered) =>
        hasEnvelope(answered)
          ? holds()
          : broken('error.message, error.type and error.code, all strings', written(answered.outcome.body)),
      ),
    ),
    check(ids.type, `\`error.type\` of ${name} is \`${error.type}\``, (context) =>
      given(source(context), ({ outcome }) =>
        is(readError(outcome.body)?.['type'], (value) => value === error.type, `"${error.type}"`),
      ),
    ),
    check(ids.code, `\`error.code\` of ${name} is \`${error.code}\``, (context) =>
      given(source(context), ({ outcome }) =>
        is(readError(outcome.body)?.['code'], (value) => value === error.code, `"${error.code}"`),
      ),
    ),
    ...(ids.contentType === undefined
      ? []
      : [
          check(ids.contentType, `The Content-Type of ${name} is JSON`, (context) =>
            given(source(context), (answered) => is(readMediaType(answered), isJson, `"${mimeType}"`)),
          ),
        ]),
  ];
}

/** Whether the response has a JSON media type. */
export function isDeclaredAsJson(answered: Answered): boolean {
  return isJson(readMediaType(answered));
}

/** Whether `error` has all its parts (§7). */
export function hasEnvelope({ outcome }: Answered): boolean {
  const { message, type, code } = readError(outcome.body) ?? {};
  return isString(message) && isString(type) && isString(code);
}

/** Also accepts types such as `application/problem+json`. */
function isJson(type: unknown): boolean {
  return isString(type) && (type === mimeType || /^application\/[\w.-]+\+json$/.test(type));
}
