import { createFairTurns } from '../http/fair-turns.ts';
import type { OpenStore } from '../store/store.ts';
import type { Address, Bytes32 } from '../types/units.ts';
import { largeLengthMin } from './parse-completion.ts';

/** Payments with a large completion that are remembered. The oldest is forgotten first. */
const knownMax = 4_096;

/**
 * Reads a large completion in a turn of its own, if the store returned it before (D-404). Requests that wait hold no
 * completion, and those with the same payment share one. 2,000 requests for a completion of 1.9 MB took 3 GB before. The
 * turns alternate between payers.
 */
export function readLargeInTurns<Store extends Pick<OpenStore, 'lookUp' | 'reserve'>>(store: Store): Store {
  const takeTurn = createFairTurns();
  const lengths = new Map<string, number>();

  return {
    ...store,
    async lookUp(asset, payer, nonce, purchase) {
      await turnOf(payer, nonce);
      const found = await store.lookUp(asset, payer, nonce, purchase);
      note(payer, nonce, found?.completion ?? null);
      return found;
    },
    async reserve(claim, ...more) {
      const { from, nonce } = claim.authorization;
      await turnOf(from, nonce);
      const reserved = await store.reserve(claim, ...more);
      if (reserved.kind === 'known') note(from, nonce, reserved.payment.completion);
      return reserved;
    },
  };

  async function turnOf(payer: Address, nonce: Bytes32): Promise<void> {
    const length = lengths.get(`${payer}:${nonce}`);
    if (length !== undefined) await new Promise<void>((resolve) => takeTurn(payer, length, resolve));
  }

  function note(payer: Address, nonce: Bytes32, completion: string | null): void {
    if (completion === null || completion.length < largeLengthMin) return;
    lengths.set(`${payer}:${nonce}`, completion.length);
    const [oldest] = lengths.keys();
    if (lengths.size > knownMax && oldest !== undefined) lengths.delete(oldest);
  }
}
