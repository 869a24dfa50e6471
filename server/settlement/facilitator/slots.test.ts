import { describe, expect, it } from 'vitest';
import type { PaymentRecord } from '../../store/store.ts';
import { createSlots } from './slots.ts';

// The order of payments when more wait than there are slots (D-164).

/** Takes slots, and records the order in which they were granted. */
function scene(max: number) {
  const closing = new AbortController();
  const slots = createSlots(max, closing.signal);
  const started: string[] = [];
  const free = new Map<string, () => void>();
  return {
    started,
    closing,
    async take(name: string, from: string, { tries = 0, validBefore = 1n } = {}) {
      void slots.take({ authorization: { from, validBefore } } as PaymentRecord, tries).then((end) => {
        started.push(end === null ? `${name} is dismissed` : name);
        if (end !== null) free.set(name, end);
      });
      await settled();
    },
    async free(name: string) {
      free.get(name)?.();
      await settled();
    },
  };
}

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe('The slots of a facilitator', () => {
  it('serve one payer with at most half of them, and two payers with all', async () => {
    const { take, started } = scene(4);
    for (const name of ['a1', 'a2', 'a3']) await take(name, 'a');
    for (const name of ['b1', 'b2']) await take(name, 'b');
    expect(started).toEqual(['a1', 'a2', 'b1', 'b2']);
  });

  it('serve failed payments with at most half of them, of one payer or many', async () => {
    const { take, started } = scene(4);
    for (const payer of ['a', 'b', 'c']) await take(payer, payer, { tries: 1 });
    expect(started).toEqual(['a', 'b']);
    await take('new', 'd');
    expect(started).toEqual(['a', 'b', 'new']);
  });

  it('serve new payments first, by the end of their window, while a failed one has a slot', async () => {
    const { take, free, started } = scene(2);
    await take('again', 'a', { tries: 1 });
    await take('new', 'b');
    await take('again too', 'c', { tries: 1 });
    await take('late', 'd', { validBefore: 9n });
    await take('soon', 'e', { validBefore: 2n });
    await free('new');
    await free('soon');
    expect(started).toEqual(['again', 'new', 'soon', 'late']);
    await free('again');
    expect(started.at(-1)).toBe('again too');
  });

  it('always serve one failed payment, however many new ones wait', async () => {
    const { take, free, started } = scene(2);
    for (const payer of ['a', 'b', 'c']) await take(payer, payer);
    await take('again twice', 'd', { tries: 2 });
    await take('again', 'e', { tries: 1 });
    await free('a');
    expect(started).toEqual(['a', 'b', 'again']);
  });

  it('serve new payments first if there is a single slot', async () => {
    const { take, free, started } = scene(1);
    await take('first', 'a');
    await take('again', 'b', { tries: 1 });
    await take('new', 'a');
    await free('first');
    await free('new');
    expect(started).toEqual(['first', 'new', 'again']);
  });

  it('are not granted after closing', async () => {
    const { take, closing, started } = scene(1);
    await take('first', 'a');
    await take('second', 'b');
    closing.abort();
    await take('third', 'c');
    expect(started).toEqual(['first', 'second is dismissed', 'third is dismissed']);
  });
});
