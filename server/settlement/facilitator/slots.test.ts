import { describe, expect, it } from 'vitest';
import type { PaymentRecord } from '../../store/store.ts';
import { manualClock } from '../../types/clock.ts';
import { createSlots } from './slots.ts';

// The order of payments when more wait than there are slots (D-164).

/** Takes slots, and records the order in which they were granted. */
function scene(max: number) {
  const closing = new AbortController();
  const clock = manualClock(0);
  const slots = createSlots(max, closing.signal, clock);
  const started: string[] = [];
  const free = new Map<string, () => void>();
  return {
    started,
    closing,
    clock,
    async take(name: string, from: string, { tries = 0, validBefore = 1n } = {}) {
      void slots.take({ authorization: { from, validBefore } } as PaymentRecord, tries).then((slot) => {
        const what = slot === null ? ' is dismissed' : slot.mayAsk ? '' : ' is read';
        started.push(`${name}${what}`);
        if (slot !== null) free.set(name, slot.free);
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

  it('serve a payment last whose window ends before a call would (D-430)', async () => {
    const { take, free, started, clock } = scene(1);
    await take('first', 'a', { validBefore: 100n });
    for (const [name, validBefore] of [
      ['too late', 12n],
      ['soon', 30n],
      ['later', 40n],
    ] as const)
      await take(name, name, { validBefore });
    clock.advance(6);
    for (const name of ['first', 'soon', 'later']) await free(name);
    expect(started).toEqual(['first', 'soon', 'later', 'too late']);
  });

  it('keep the order of the windows while one call takes long (D-430)', async () => {
    const { take, free, started, clock } = scene(1);
    for (const name of ['one', 'two', 'three']) await take(name, name, { validBefore: 100n });
    await take('long', 'a', { validBefore: 101n });
    await take('soon', 'b', { validBefore: 140n });
    await take('later', 'c', { validBefore: 150n });
    for (const name of ['one', 'two', 'three']) await free(name);
    clock.advance(60);
    await free('long');
    await free('soon');
    expect(started.slice(-3)).toEqual(['long', 'soon', 'later']);
  });

  it('serve in turn the payment that waits longest, and the one whose window ends first (D-430)', async () => {
    const { take, free, started } = scene(1);
    await take('first', 'a', { validBefore: 500n });
    await take('long window', 'b', { validBefore: 400n });
    for (const name of ['short', 'short too', 'short again']) await take(name, name, { validBefore: 90n });
    for (const name of ['first', 'long window', 'short', 'short too']) await free(name);
    expect(started).toEqual(['first', 'long window', 'short', 'short too', 'short again']);
    await take('long too', 'c', { validBefore: 400n });
    await take('shorter', 'd', { validBefore: 80n });
    await take('shorter too', 'e', { validBefore: 80n });
    await free('short again');
    await free(started.at(-1) ?? '');
    expect(started.slice(-2).sort()).toEqual(['long too', 'shorter']);
  });

  it('let the chain be read about payments whose windows have ended, beside full slots (D-430)', async () => {
    const { take, free, started, clock } = scene(1);
    await take('first', 'a', { validBefore: 100n });
    for (const name of ['ended', 'ended too']) await take(name, name, { validBefore: 10n });
    await take('new', 'b', { validBefore: 90n });
    expect(started).toEqual(['first']);
    clock.advance(10);
    await take('another', 'c', { validBefore: 95n });
    expect(started).toEqual(['first', 'ended is read']);
    await free('ended');
    expect(started).toEqual(['first', 'ended is read', 'ended too is read']);
    await free('first');
    expect(started.at(-1)).toBe('new');
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
