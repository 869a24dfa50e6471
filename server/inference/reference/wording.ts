import { createHash } from 'node:crypto';

/** The choices of wording for a completion. */
export type Wording = {
  pick(first: string, ...others: readonly string[]): string;
  /** Returns an id that is unique within the inference. */
  callId(): string;
};

/** Makes the same choices in the same order for the same seed. */
export function createWording(seed: string): Wording {
  let drawn = 0;
  const draw = () => createHash('sha256').update(`${seed}/${drawn++}`).digest();
  return {
    pick: (first, ...others) => [first, ...others][draw().readUInt32BE() % (others.length + 1)] ?? first,
    callId: () => `call_${draw().toString('hex').slice(0, 24)}`,
  };
}
