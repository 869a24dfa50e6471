import { both, type Condition, has, hasResult, isStreamed, parseBody, takingStreams } from '../conditions.ts';
import type { Mutant } from '../mutant.ts';
import { messagesIn } from '../wire-edits.ts';
import {
  type Conditional,
  isChat,
  isEarly,
  isLate,
  isToSelf,
  mutateBoth,
  wrongTerms,
} from './signed-conditions.ts';

const hasOfferedTools: Condition = (asked, models) =>
  has('tools')(asked, models) && !hasResult(asked, models);
const hasTwoTools: Condition = (asked) => {
  const { tools } = parseBody(asked);
  return Array.isArray(tools) && tools.length === 2;
};
const isOfFourMessages: Condition = (asked) => messagesIn(parseBody(asked)).length === 4;
const isLargeChat: Condition = both(({ text }) => text.length > 10_000, isChat);
const isAfterCallUnstreamed: Condition = (asked, models) =>
  hasResult(asked, models) && !isStreamed(asked, models);

const conditions: readonly Conditional[] = [
  ['offered-tools', 'for a chat with tools and without a result', hasOfferedTools],
  ['two-tools', 'for a chat with two tools', hasTwoTools],
  ['four-messages', 'for a chat of four messages', isOfFourMessages],
  ['large-chat', 'for a chat of more than 10,000 characters', isLargeChat],
];

const wrongs = [
  ['any-recipient', 'a payment to a recipient other than `payTo`', isToSelf],
  ['expired', 'an expired payment', isLate],
  ['early', 'a payment that is not yet valid', isEarly],
] as const;

/** Mutants that check payments wrongly for usual chats: with tools before a call, and large ones (contract 3, 7). */
export const signedChatMutants: readonly Mutant[] = [
  ...conditions.flatMap(mutateBoth),
  ...mutateBoth([
    'after-a-call-unstreamed',
    'after a tool result, without `stream: true`',
    isAfterCallUnstreamed,
  ]).map(takingStreams),
  ...wrongs.flatMap(([id, what, isWrong]) => [
    wrongTerms(
      `${id}-with-offered-tools-taken`,
      `accepts ${what} for a chat with tools and without a result`,
      isWrong,
      hasOfferedTools,
    ),
    wrongTerms(
      `${id}-for-a-large-chat-taken`,
      `accepts ${what} for a chat of more than 10,000 characters`,
      isWrong,
      isLargeChat,
    ),
  ]),
];
