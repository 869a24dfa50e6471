import { createFairTurns } from '../http/fair-turns.ts';
import type { OpenStore } from '../store/store.ts';
import type { Address } from '../types/units.ts';
import { largeLengthMin } from './parse-completion.ts';

/** Payments that are remembered. The oldest is forgotten first. */
const knownMax = 4_096;

type Reads = Pick<OpenStore, 'lookUp' | 'reserve' | 'execute'>;

/**
 * Reads a large completion in a turn of its own, if the store got or returned it before (D-404). Requests that wait hold no
 * completion, and those with the same payment share one. 2,000 requests for a completion of 1.9 MB took 3 GB before. The
 * turns alternate between payers. No turn begins while `isFull` returns true (D-410).
 */
export function readLargeInTurns<Store extends Reads>(
  store: Store,
  isFull: (lengthBeingRead: number) => boolean,
): Store {
  let lengthBeingRead = 0;
  const takeTurn = createFairTurns(() => isFull(lengthBeingRead));
  const lengths = new Map<string, number>();
  /** The authorizations of payments that were reserved here. */
  const keys = new Map<number, string>();

  return {
    ...store,
    async lookUp(asset, payer, nonce, purchase) {
      const key = `${payer}:${nonce}`;
      const found = await inTurn(key, payer, () => store.lookUp(asset, payer, nonce, purchase));
      note(key, found?.completion ?? null);
      return found;
    },
    async reserve(claim, ...more) {
      const { from, nonce } = claim.authorization;
      const key = `${from}:${nonce}`;
      const reserved = await inTurn(key, from, () => store.reserve(claim, ...more));
      if (reserved.kind === 'known') note(key, reserved.payment.completion);
      else if (reserved.kind === 'reserved') remember(keys, reserved.payment.id, key);
      return reserved;
    },
    async execute(id, completion, proof) {
      await store.execute(id, completion, proof);
      const key = keys.get(id);
      if (key !== undefined) note(key, completion);
      keys.delete(id);
    },
  };

  async function inTurn<T>(key: string, payer: Address, read: () => Promise<T>): Promise<T> {
    const length = lengths.get(key);
    if (length === undefined) return read();
    await new Promise<void>((resolve) => {
      takeTurn(payer, length, () => {
        lengthBeingRead += length;
        resolve();
      });
    });
    try {
      return await read();
    } finally {
      lengthBeingRead -= length;
    }
  }

  function note(key: string, completion: string | null): void {
    if (completion !== null && completion.length >= largeLengthMin) remember(lengths, key, completion.length);
  }
}

function remember<Key, Value>(known: Map<Key, Value>, key: Key, value: Value): void {
  known.set(key, value);
  const [oldest] = known.keys();
  if (known.size > knownMax && oldest !== undefined) known.delete(oldest);
}
