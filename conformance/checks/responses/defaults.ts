import { defaults } from '@paid-inference/contract/constants';
import { check } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import { bareBody } from '../../sources/bodies.ts';
import { hasStatus, is } from '../../sources/judgements.ts';
import { paidChat, pay, served, servedBody } from '../../sources/paid-source.ts';
import { completionTokens } from './response-rules.ts';

const { max_tokens: maximum } = defaults.ChatCompletionRequest;

/** Checks of a paid request without optional fields (§2.1, §8). */
export const defaultChecks = [
  check(
    'defaults.chat.served',
    'A paid request with only `model` and `messages` gets 200',
    async (context) => {
      // A request with all fields was served before, so the missing fields are the only reason for a refusal.
      const full = await served(paidChat(context));
      if (!full.ok) return full.verdict;
      const bare = await context.once(paidBare);
      return bare.ok ? hasStatus(bare.value.answered, 200) : bare.verdict;
    },
  ),
  check(
    'defaults.chat.max_tokens',
    `Without \`max_tokens\`, the response counts at most ${maximum} tokens`,
    async (context) => {
      const body = await servedBody(context.once(paidBare));
      if (!body.ok) return body.verdict;
      const count = completionTokens(body.value);
      if (!count.ok) return count.verdict;
      return is(count.value, () => count.value <= maximum, `at most the default of ${maximum}`);
    },
  ),
];

function paidBare(context: Context) {
  return pay(context, 'chat', bareBody(context.model));
}
