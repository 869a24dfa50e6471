import { createHash } from 'node:crypto';

/** The choices that are open when an answer is put into words. */
export type Wording = {
  pick(first: string, ...others: readonly string[]): string;
  /** An id that no other call of the same inference has. */
  callId(): string;
};

/** The same seed makes the same choices in the same order. */
export function createWording(seed: string): Wording {
  let drawn = 0;
  const draw = () => createHash('sha256').update(`${seed}/${drawn++}`).digest();
  return {
    pick: (first, ...others) => [first, ...others][draw().readUInt32BE() % (others.length + 1)] ?? first,
    callId: () => `call_${draw().toString('hex').slice(0, 24)}`,
  };
}
