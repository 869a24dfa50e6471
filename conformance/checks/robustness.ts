import { check, type JudgedId } from '../engine/check.ts';
import type { Context } from '../engine/context.ts';
import { andThen, given } from '../engine/found.ts';
import { broken, holds, type Judgement } from '../engine/verdict.ts';
import { invalidBodies } from '../fuzz/invalid-bodies.ts';
import { type Probe, probe } from '../fuzz/probe.ts';
import { validBodies } from '../fuzz/valid-bodies.ts';
import { paidEndpoints } from './bodies.ts';
import { written } from './judgements.ts';
import { demand, readsBodyFirst } from './sources.ts';

/** Random bodies (D-112). They are sent last, and decide no demand of the contract by themselves. */
export const robustnessChecks = [
  check('robustness.valid-bodies', 'Random valid bodies are answered 402', (context) =>
    given(
      andThen(bothDemanding(context), () => bothReading(context)),
      () =>
        probed(context, 'robustness.valid-bodies', '402 for a valid body', {
          bodies: validBodies(context.model),
          claim: 'valid',
          isRight: ({ outcome }) => outcome.status === 402,
        }),
    ),
  ),
  check(
    'robustness.invalid-bodies',
    'Random invalid bodies are never served, and bring no server fault',
    (context) =>
      given(bothDemanding(context), async () => {
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
        // A body that nobody read can bring nothing.
        return verdict.kind === 'holds' ? given(bothReading(context), () => verdict) : verdict;
      }),
  ),
];

/** Both endpoints answer a plain body as they should: else a random one shows nothing new. */
function bothDemanding(context: Context) {
  return andThen(demand(context, 'chat'), () => demand(context, 'completions'));
}

function bothReading(context: Context) {
  return andThen(readsBodyFirst(context, 'chat'), () => readsBodyFirst(context, 'completions'));
}

async function probed(context: Context, id: JudgedId, expected: string, bodies: Probe): Promise<Judgement> {
  const result = await probe(context, bodies);
  if (result.kind === 'stopped') return result.verdict;
  if (result.kind === 'nothing') return holds(`${result.runs} bodies of seed ${context.fuzz.seed}`);
  const { body, status, seed, path } = result.finding;
  const again = `--filter ${id} --seed ${seed} --path ${path}`;
  return broken(
    expected,
    `${status} (again with ${again}): ${paidEndpoints[body.endpoint].path} ${written(body.body)}`,
  );
}
