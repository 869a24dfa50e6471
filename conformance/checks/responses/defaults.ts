import { defaults } from '@paid-inference/contract/constants';
import { check } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import { bareBody } from '../../sources/bodies.ts';
import { hasStatus, is } from '../../sources/judgements.ts';
import { paidChat, pay, served, servedBody } from '../../sources/paid-source.ts';
import { andThen, given } from '../../types/found.ts';
import { completionTokens } from './answer.ts';

const { max_tokens: maximum } = defaults.ChatCompletionRequest;

/** Checks of a paid request without optional fields (§2.1, §8). */
export const defaultChecks = [
  check(
    'defaults.chat.served',
    'A paid request with only `model` and `messages` gets 200',
    // A request with all fields was served before, so the missing fields are the only reason for a refusal.
    (context) =>
      given(served(paidChat(context)), () =>
        given(context.once(paidBare), ({ answered }) => hasStatus(answered, 200)),
      ),
  ),
  check(
    'defaults.chat.max_tokens',
    `Without \`max_tokens\`, the response counts at most ${maximum} tokens`,
    (context) =>
      given(andThen(servedBody(context.once(paidBare)), completionTokens), (count) =>
        is(count, () => count <= maximum, `at most the default of ${maximum}`),
      ),
  ),
];

function paidBare(context: Context) {
  return pay(context, 'chat', bareBody(context.model));
}
