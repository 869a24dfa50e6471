import { type Check, closingCheck, type JudgedId, observation } from '../engine/check.ts';
import type { Context } from '../engine/context.ts';
import { given } from '../engine/found.ts';
import { broken, holds, notApplicable, seen } from '../engine/verdict.ts';
import { addressPattern } from '../payment/offer.ts';
import { decodeBase64, decodeJson, member } from '../wire/base64-json.ts';
import type { Answered, Exchange } from '../wire/session.ts';
import { paidEndpoints } from './bodies.ts';
import { errorOf, isString, written } from './judgements.ts';
import { offerHeader, requirements, unpaid } from './sources.ts';

const paths: readonly string[] = Object.values(paidEndpoints).map(({ path }) => path);

/** What must be the same wherever it shows in a run. */
export const invariantChecks = [
  sameEnvelope('error.400.envelope', 400),
  sameEnvelope('error.401.envelope', 401),
  closingCheck('offer.same-token', 'Every offer of the run is in one token', async (context) => {
    const chat = await requirements(context, 'chat');
    if (!chat.ok) return chat.verdict;
    return given(requirements(context, 'completions'), () => {
      const demands = answersOf(context, 402);
      const tokens = Map.groupBy(demands, tokenOf);
      // An offer that names no token is judged for that elsewhere.
      tokens.delete(undefined);
      if (tokens.size <= 1) return holds();
      context.cite([...tokens.values()].flatMap(([first]) => first ?? []));
      return broken('one token', [...tokens.keys()].join(' and '));
    });
  }),
  observation('offer.same-recipient', 'Whether both endpoints name one recipient', async (context) => {
    const chat = await requirements(context, 'chat');
    if (!chat.ok) return chat.verdict;
    return given(requirements(context, 'completions'), ({ payTo }) => {
      const [one, other] = [written(chat.value['payTo']), written(payTo)];
      return seen(one.toLowerCase() === other.toLowerCase() ? `one: ${one}` : `two: ${one} and ${other}`);
    });
  }),
];

/** The shape is that of the status, whatever has brought it (contract 7). */
function sameEnvelope(requirement: JudgedId, status: number): Check {
  return closingCheck(
    requirement,
    `\`error\` of every ${status} has message, type and code`,
    async (context) => {
      // Asked already, unless a filter leaves nothing else.
      const asked = await unpaid(context, 'chat');
      const answers = answersOf(context, status);
      if (answers.length === 0)
        return asked.ok ? notApplicable(`no request was answered ${status}`) : asked.verdict;
      const bare = answers.filter(({ outcome }) => !hasEnvelope(outcome.body));
      context.cite(bare);
      const [first] = bare;
      return first
        ? broken('error.message, error.type and error.code, all strings', written(first.outcome.body))
        : holds();
    },
  );
}

function hasEnvelope(body: string): boolean {
  const { message, type, code } = errorOf(body) ?? {};
  return isString(message) && isString(type) && isString(code);
}

/** Answers of a status to requests to the paid endpoints. */
function answersOf(context: Context, status: number): readonly Answered[] {
  return context.transcript().filter((exchange): exchange is Answered => {
    const { request, outcome }: Exchange = exchange;
    const isInference = request.method === 'POST' && paths.some((path) => request.url.endsWith(path));
    return isInference && outcome.kind === 'answer' && outcome.status === status;
  });
}

/** Address and domain of the token that an offer is in, as far as they can be read. */
function tokenOf(answered: Answered): string | undefined {
  const text = offerHeader(answered);
  const bytes = text.ok ? decodeBase64(text.value) : text;
  const offer = bytes.ok ? decodeJson(bytes.value) : bytes;
  if (!offer.ok) return undefined;
  const asset = member(offer.value, 'asset');
  const name = member(member(offer.value, 'extra'), 'name');
  if (!isString(asset) || !addressPattern.test(asset) || !isString(name)) return undefined;
  return `${asset.toLowerCase()} (${name})`;
}
