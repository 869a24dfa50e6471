import type { RequirementId } from '@paid-inference/contract/requirements';

export type NotAlone = {
  readonly requirement: RequirementId;
  /** Requirements that always fail together with this one. */
  readonly failsWith: readonly RequirementId[];
  readonly because: string;
};

/** MUST requirements that no mutant can break alone. A test rejects an entry that a mutant disproves. */
export const notAlone: readonly NotAlone[] = [
  {
    requirement: 'chain.transfer',
    failsWith: ['chain.authorization-used'],
    because:
      'An EIP-3009 token moves the tokens in the call that uses the authorization, so a transaction has both events or neither.',
  },
  {
    requirement: 'body.message.assistant-tool-calls.content-optional',
    failsWith: ['body.valid.unpaid'],
    because:
      'The valid conversations of body.valid.unpaid contain assistant messages with tool calls and no content.',
  },
  {
    requirement: 'settlement-type.optional',
    failsWith: ['unpaid.chat.402'],
    because:
      'A gateway that demands X-SETTLEMENT-TYPE rejects the unpaid chat request of unpaid.chat.402, which lacks the header.',
  },
];
