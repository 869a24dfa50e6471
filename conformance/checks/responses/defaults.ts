import { defaults } from '@paid-inference/contract/constants';
import { check } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import { bareBody } from '../../sources/bodies.ts';
import { hasStatus, is } from '../../sources/judgements.ts';
import { paidChat, pay, served, servedBody } from '../../sources/paid-source.ts';
import { andThen, given } from '../../types/found.ts';
import { completionTokens } from './answer.ts';

const { max_tokens: maximum } = defaults.ChatCompletionRequest;

/** A paid request in which every optional field is left to its default (contract 2.1, 8). */
export const defaultChecks = [
  check(
    'defaults.chat.served',
    'A paid request with nothing but `model` and `messages` is answered 200',
    // Beside the same with every field, so that a refusal lies with what is left out.
    (context) =>
      given(served(paidChat(context)), () =>
        given(context.once(paidBare), ({ answered }) => hasStatus(answered, 200)),
      ),
  ),
  check(
    'defaults.chat.max_tokens',
    `Without \`max_tokens\`, no more than ${maximum} tokens are counted`,
    (context) =>
      given(andThen(servedBody(context.once(paidBare)), completionTokens), (count) =>
        is(count, () => count <= maximum, `at most ${maximum}, which is the default`),
      ),
  ),
];

function paidBare(context: Context) {
  return pay(context, 'chat', bareBody(context.model));
}
