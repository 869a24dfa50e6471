import { headerNames } from '@paid-inference/contract/constants';
import { unpaidResponse } from '../../conditions/levels.ts';
import { extraMembers } from '../../conditions/requests.ts';
import { check, type JudgedId } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import { invalidBodies } from '../../fuzz/invalid-bodies.ts';
import { type Probe, probe } from '../../fuzz/probe.ts';
import { type Drawn, type RandomBody, writtenBodies } from '../../fuzz/valid-bodies.ts';
import { bodyFor, paidEndpoints, validRequest } from '../../sources/bodies.ts';
import { written } from '../../sources/judgements.ts';
import { orderOfBody } from '../../sources/order-of-checks.ts';
import { bothDemanding, bothReading, listedModels } from '../../sources/sources.ts';
import { broken, holds, type Judgement } from '../../types/verdict.ts';
import { member } from '../../wire/base64-json.ts';
import type { Answered } from '../../wire/exchange.ts';

/** Checks with random bodies (D-112). They run last, because other checks give clearer findings. */
export const robustnessChecks = [
  check('robustness.valid-bodies', 'Random valid bodies get 402', async (context) => {
    const reads = await bothReading(context);
    if (!reads.ok) return reads.verdict;
    return probed(context, 'robustness.valid-bodies', '402 for a valid body', {
      bodies: writtenBodies(await drawnFor(context)),
      claim: 'valid',
      isRight: async (answered, random) =>
        answered.outcome.status === 402 || (await isOverABound(context, answered, random)),
    });
  }),
  check(
    'robustness.invalid-bodies',
    'Random invalid bodies are never served and cause no server fault',
    async (context) => {
      const demanded = await bothDemanding(context);
      if (!demanded.ok) return demanded.verdict;
      const verdict = await probed(
        context,
        'robustness.invalid-bodies',
        'neither 2xx nor 5xx for an invalid body',
        {
          bodies: invalidBodies(context.model),
          claim: 'invalid',
          isRight: ({ outcome }) => outcome.status >= 300 && outcome.status < 500,
        },
      );
      if (verdict.kind !== 'holds') return verdict;
      // A target that does not read the bodies passes without proof.
      const reads = await bothReading(context);
      return reads.ok ? verdict : reads.verdict;
    },
  ),
];

const typesDrawn = [undefined, 'private', 'individual', 'batch'] as const;
const extrasDrawn = [{}, extraMembers['stream-true'], extraMembers['user-and-metadata']] as const;

/** If other checks reported a model or a settlement type, the bodies are sent with the usual ones. */
async function drawnFor(context: Context): Promise<Drawn> {
  const isTold = context
    .reported()
    .some(({ requirement }) => /^(conditions|settlement-type)\./.test(requirement));
  if (isTold) return { models: [context.model], types: [undefined], extras: [{}] };
  const models = [...new Set([context.model, ...(await listedModels(context))])];
  return { models, types: typesDrawn, extras: extrasDrawn };
}

/**
 * Whether the target refuses a body for its size or its number of messages, which the contract does not bound
 * (§8). It then also refuses a plain body of the same size. So does a target that does not sell the model or
 * accept the extra member.
 */
async function isOverABound(
  context: Context,
  answered: Answered,
  { endpoint, body, text = '', headers = {}, extra }: RandomBody,
): Promise<boolean> {
  if (unpaidResponse(answered) !== 'refused') return false;
  const messages = member(body, 'messages');
  const count = Array.isArray(messages) ? messages.length : 1;
  const words = 'ping '.repeat(Math.ceil(Buffer.byteLength(text) / 5));
  const said = Array.from({ length: count }, (_, index) => ({
    role: index % 2 === (count + 1) % 2 ? 'user' : 'assistant',
    content: index === count - 1 ? words : 'Say ping.',
  }));
  const plain = bodyFor(endpoint, String(member(body, 'model')));
  for (let attempt = 0; attempt < controlsMax; attempt += 1) {
    const last = `${words.slice(1)}${attempt}`;
    const texts = said.map((each, index) => (index === count - 1 ? { ...each, content: last } : each));
    const control = { ...plain, ...(endpoint === 'chat' ? { messages: texts } : { prompt: last }), ...extra };
    const sent = await context.send({ ...validRequest(endpoint, control, headers), isRandom: true });
    if (!sent.ok) return false;
    if (unpaidResponse(sent.value) === 'refused') return true;
    const order = await orderOfBody(context, endpoint);
    if (!order.ok || order.value !== 'changes') return false;
  }
  return false;
}

/**
 * If the order of checks changes (D-152), one plain body may get 402 and the next a refusal, so several are
 * sent.
 */
const controlsMax = 8;

async function probed(context: Context, id: JudgedId, expected: string, bodies: Probe): Promise<Judgement> {
  const result = await probe(context, bodies);
  if (result.kind === 'stopped') return result.verdict;
  if (result.kind === 'nothing') return holds(`${result.runs} bodies of seed ${context.fuzz.seed}`);
  const { body, status, seed, path } = result.finding;
  const again = `--filter ${id} --seed ${seed} --path ${path}`;
  return broken(
    expected,
    `${status} (repeat with ${again}): ${paidEndpoints[body.endpoint].path} ${typeIn(body)}${written(body.body)}`,
  );
}

function typeIn({ headers = {} }: RandomBody): string {
  const type = headers[headerNames.settlementType];
  return type === undefined ? '' : `${headerNames.settlementType}: ${type} `;
}
