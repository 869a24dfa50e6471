import type { RequirementId } from '@paid-inference/contract/requirements';

export type NotAlone = {
  readonly requirement: RequirementId;
  /** What fails whenever it fails. */
  readonly failsWith: readonly RequirementId[];
  readonly because: string;
};

/** MUST requirements that no mutant can break alone. An entry for one that a mutant does kill alone is stale, and fails. */
export const notAlone: readonly NotAlone[] = [
  {
    requirement: 'chain.transfer',
    failsWith: ['chain.authorization-used'],
    because:
      'A token of EIP-3009 moves the tokens in the very call that uses the authorization, so that a transaction with the one event has the other.',
  },
  {
    requirement: 'body.message.assistant-tool-calls.content-optional',
    failsWith: ['body.valid.unpaid'],
    because:
      'The valid conversations that body.valid.unpaid sends have assistant messages with tool calls and no content.',
  },
  {
    requirement: 'settlement-type.optional',
    failsWith: ['unpaid.chat.402'],
    because:
      'A gateway that demands X-SETTLEMENT-TYPE refuses the unpaid chat request without it, which is the request that unpaid.chat.402 makes.',
  },
];
