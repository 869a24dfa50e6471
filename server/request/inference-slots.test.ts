import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Engine, InferenceLimits } from '../inference/engine.ts';
import { createCountingEngine, pong } from '../testing/counting-engine.ts';
import { textTask } from '../testing/inference/tasks.ts';
import { type ManualClock, manualClock } from '../types/clock.ts';
import { fail, ok } from '../types/result.ts';
import {
  createInferenceSlots,
  type Full,
  type InferenceSlots,
  type Place,
  type SlotLimits,
} from './inference-slots.ts';

// With real timers a wait could end during a test.
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

let clock: ManualClock;
let slots: InferenceSlots;
const stays = new AbortController().signal;
const task = textTask('Hello');
/** A place with a slot, or the limit that was reached. */
type Taken = Place | Full;

/** Slots for a model that runs two inferences at once, and for payers with three. */
function open(change: Partial<SlotLimits> = {}, modelMax: number | null = 2): void {
  clock = manualClock(1_800_000_000);
  const limits = {
    payerInferencesMax: 3,
    payerSlotsRatioMax: null,
    leftInferenceMsMax: null,
    waitingInferencesMax: 4,
    inferenceWaitMs: 1_000,
    inferenceTimeoutMs: 60_000,
    ...change,
  };
  slots = createInferenceSlots(limits, () => modelMax, clock);
}
beforeEach(() => open());

async function take(payer = 'alice', model = 'one', left = stays): Promise<Taken> {
  const place = slots.enter({ model, payer });
  if (typeof place === 'string') return place;
  if (await place.start(left)) return place;
  place.leave();
  return 'model';
}

async function taken(payer?: string, model?: string): Promise<Place> {
  const place = await take(payer, model);
  if (typeof place === 'string') throw new Error(`the ${place} is full`);
  return place;
}

/** Lets promises resolve without time passing. */
const settle = () => vi.advanceTimersByTimeAsync(0);

describe('The slots of a model (D-313)', () => {
  it('are taken at once while there are some, and a further request waits for one', async () => {
    const first = await taken('alice');
    await taken('bob');
    const third = take('carol');
    await settle();
    expect(slots.waiting).toBe(1);
    first.leave();
    expect(typeof (await third)).toBe('object');
    expect(slots.waiting).toBe(0);
  });

  it('are counted for each model', async () => {
    await taken('alice', 'one');
    await taken('bob', 'one');
    expect(typeof (await take('carol', 'other'))).toBe('object');
  });

  it('are not limited without a limit', async () => {
    open({ payerInferencesMax: null }, null);
    for (let count = 0; count < 1_000; count++) await taken();
    expect(slots.waiting).toBe(0);
  });

  it('refuse a request after its wait, and the place of that request is free', async () => {
    const held = [await taken('alice'), await taken('bob')];
    const third = take('carol');
    await vi.advanceTimersByTimeAsync(999);
    expect(slots.waiting).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await third).toBe('model');
    expect(slots.waiting).toBe(0);
    for (const slot of held) slot.leave();
    for (let count = 0; count < 2; count++) await taken('carol');
  });

  it('let a request wait at most half of the time of an inference', async () => {
    open({ inferenceTimeoutMs: 600 });
    for (const payer of ['alice', 'bob']) await taken(payer);
    const third = take('carol');
    await vi.advanceTimersByTimeAsync(300);
    expect(await third).toBe('model');
  });

  it('refuse a request at once when too many wait, or when none may wait', async () => {
    open({ waitingInferencesMax: 1 });
    for (const payer of ['alice', 'bob']) await taken(payer);
    const waits = take('carol');
    expect(await take('dora')).toBe('model');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await waits).toBe('model');
    open({ waitingInferencesMax: 0 });
    for (const payer of ['alice', 'bob']) await taken(payer);
    expect(await take('carol')).toBe('model');
  });

  it('do not let the waiting requests of one payer keep those of others from waiting (D-395)', async () => {
    open({ payerInferencesMax: null, waitingInferencesMax: 3 }, 1);
    const slot = await taken('alice');
    const order: string[] = [];
    const ask = (payer: string) =>
      take(payer).then((place) => {
        order.push(`${payer} ${typeof place === 'string' ? place : 'runs'}`);
        if (typeof place === 'object') place.leave();
      });
    for (const payer of ['alice', 'alice', 'alice', 'bob']) void ask(payer);
    await settle();
    expect(order).toEqual(['alice model']);
    // Each payer may wait with as many as the other one has.
    for (const payer of ['bob', 'alice']) void ask(payer);
    await settle();
    expect([slots.waiting, ...order]).toEqual([3, 'alice model', 'bob model', 'alice model']);
    slot.leave();
    await settle();
    expect(order.slice(3)).toEqual(['alice runs', 'alice runs', 'bob runs']);
  });

  it('go past a request whose clients left', async () => {
    const first = await taken('alice');
    await taken('bob');
    const client = new AbortController();
    const left = take('carol', 'one', client.signal);
    const next = take('dora');
    client.abort();
    expect(await left).toBe('model');
    first.leave();
    expect(typeof (await next)).toBe('object');
    expect(await take('carol', 'one', AbortSignal.abort())).toBe('model');
    expect(slots.waiting).toBe(0);
  });

  it('go to the payer with the fewest inferences of the model, and else to the first request', async () => {
    const first = await taken('alice');
    await taken('alice');
    const order: string[] = [];
    for (const payer of ['alice', 'bob', 'carol'])
      void take(payer).then((slot) => {
        order.push(payer);
        if (typeof slot === 'object') slot.leave();
      });
    await settle();
    first.leave();
    await settle();
    expect(order).toEqual(['bob', 'carol', 'alice']);
  });
});

describe('A place (D-313)', () => {
  it('takes no slot from others before its start: its payer may have no funds', async () => {
    for (let count = 0; count < 3; count++) slots.enter({ model: 'one', payer: 'alice' });
    for (const payer of ['bob', 'carol']) await taken(payer);
    expect(slots.waiting).toBe(0);
  });

  it('is refused only when too many wait already, although it may get no slot later', async () => {
    open({ waitingInferencesMax: 1 });
    for (const payer of ['alice', 'bob']) await taken(payer);
    const places = ['carol', 'dora'].map((payer) => slots.enter({ model: 'one', payer }));
    const starts = places.map((place) => (typeof place === 'string' ? place : place.start(stays)));
    expect(slots.waiting).toBe(1);
    expect(await starts[1]).toBe(false);
    expect(slots.enter({ model: 'one', payer: 'emil' })).toBe('model');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await starts[0]).toBe(false);
  });

  it('counts for its payer from the beginning', async () => {
    for (let count = 0; count < 3; count++) slots.enter({ model: 'one', payer: 'alice' });
    expect(slots.enter({ model: 'one', payer: 'alice' })).toBe('payer');
  });
});

describe('The slots of a payer (D-313)', () => {
  it('are limited over all models, and requests that wait count', async () => {
    await taken('alice', 'one');
    await taken('bob', 'one');
    await taken('alice', 'other');
    const waits = take('alice', 'one');
    await settle();
    expect(slots.waiting).toBe(1);
    expect(await take('alice', 'third')).toBe('payer');
    expect(typeof (await take('bob', 'third'))).toBe('object');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await waits).toBe('model');
    expect(typeof (await take('alice', 'third'))).toBe('object');
  });

  it('are free again after a release, which counts once', async () => {
    open({}, null);
    const held = [await taken(), await taken(), await taken()];
    expect(await take()).toBe('payer');
    for (let time = 0; time < 3; time++) held[0]?.leave();
    await taken();
    expect(await take()).toBe('payer');
  });
});

describe('The slots that a payer leaves to others (D-431)', () => {
  beforeEach(() => open({ payerInferencesMax: null, payerSlotsRatioMax: 3 }, 16));

  /** Takes slots until the payer has to wait, and returns them. */
  async function takeAll(payer: string): Promise<readonly Place[]> {
    const places: Place[] = [];
    for (;;) {
      const next = take(payer);
      await settle();
      if (slots.waiting > 0) {
        await vi.advanceTimersByTimeAsync(1_000);
        expect(await next).toBe('model');
        return places;
      }
      const place = await next;
      if (typeof place === 'string') throw new Error(`the ${place} is full`);
      places.push(place);
    }
  }

  it('are a quarter for one payer, and less for each further one', async () => {
    expect((await takeAll('alice')).length).toBe(12);
    expect((await takeAll('bob')).length).toBe(3);
    expect((await takeAll('carol')).length).toBe(1);
  });

  it('are none without the limit', async () => {
    open({ payerInferencesMax: null, payerSlotsRatioMax: null }, 16);
    expect((await takeAll('alice')).length).toBe(16);
  });

  it('are none of a model with two slots or three', async () => {
    for (const max of [2, 3]) {
      open({ payerInferencesMax: null, payerSlotsRatioMax: 3 }, max);
      expect((await takeAll('alice')).length).toBe(max);
    }
  });

  it('go to another payer at once, and its end lets a waiting request of the first payer run', async () => {
    const held = await takeAll('alice');
    const waits = take('alice');
    await settle();
    const other = [await taken('bob'), await taken('bob')];
    held[0]?.leave();
    expect(slots.waiting).toBe(1);
    other[0]?.leave();
    expect(slots.waiting).toBe(0);
    expect(typeof (await waits)).toBe('object');
  });
});

describe('A payer that left inferences (D-431)', () => {
  beforeEach(() => open({ payerInferencesMax: null, leftInferenceMsMax: 100_000 }, 8));

  /** Runs an inference or a stream that its client leaves, or that ends by itself. */
  async function runFor(seconds: number, end: 'left' | 'completed' | 'failed', how: 'infer' | 'stream') {
    const engine = createCountingEngine();
    const limits: InferenceLimits = { timeoutMs: 60_000, signal: stays };
    engine.answering = async (asked) => {
      clock.advance(seconds);
      if (end === 'completed') return ok(pong(asked));
      return fail({ kind: end === 'left' ? 'cancelled' : 'failed', detail: 'the test says so' });
    };
    const held = (await taken()).within(engine);
    if (how === 'infer') return void (await held.infer(task, limits));
    const stream = held.stream(task, limits);
    if (end !== 'left') for (let next = await stream.next(); !next.done; next = await stream.next());
    else {
      await stream.next();
      clock.advance(seconds);
      await stream.return(fail({ kind: 'cancelled', detail: 'the reader left' }));
    }
  }

  async function countSlots(payer = 'alice'): Promise<number> {
    let count = 0;
    for (let ask = 0; ask < 3; ask += 1) {
      const next = take(payer);
      await vi.advanceTimersByTimeAsync(1_000);
      const place = await next;
      if (typeof place === 'object') count += 1;
    }
    return count;
  }

  it.each(['infer', 'stream'] as const)('runs one at once beyond the limit: %s', async (how) => {
    for (const seconds of [60, 60]) await runFor(seconds, 'left', how);
    expect(await countSlots()).toBe(1);
    expect(await countSlots('bob')).toBe(3);
  });

  it('is not limited up to the limit, nor by inferences that failed', async () => {
    await runFor(100, 'left', 'infer');
    await runFor(100, 'failed', 'infer');
    expect(await countSlots()).toBe(3);
  });

  it('is not limited while it completes more, as a busy service does', async () => {
    await runFor(101, 'left', 'infer');
    await runFor(102, 'completed', 'infer');
    expect(await countSlots()).toBe(3);
  });

  it('is limited for ten minutes', async () => {
    await runFor(101, 'left', 'infer');
    clock.advance(600 - 1);
    expect(await countSlots()).toBe(1);
    open({ payerInferencesMax: null, leftInferenceMsMax: 100_000 }, 8);
    await runFor(101, 'left', 'infer');
    clock.advance(600);
    expect(await countSlots()).toBe(3);
  });

  it('lets a waiting request of another payer run, although it runs fewer', async () => {
    open({ payerInferencesMax: null, leftInferenceMsMax: 100_000 }, 3);
    await runFor(101, 'left', 'infer');
    await taken('alice');
    const held = [await taken('bob'), await taken('bob')];
    const waits = [take('alice'), take('bob')];
    await settle();
    held[0]?.leave();
    await settle();
    expect(slots.waiting).toBe(1);
    expect(typeof (await waits[1])).toBe('object');
  });

  it('has no limit without the setting', async () => {
    open({ payerInferencesMax: null }, 8);
    for (let each = 0; each < 5; each += 1) await runFor(600, 'left', 'infer');
    expect(await countSlots()).toBe(3);
  });
});

describe('A slot (D-313)', () => {
  const limits: InferenceLimits = { timeoutMs: 60_000, signal: stays };
  let engine: ReturnType<typeof createCountingEngine>;
  beforeEach(() => {
    open({}, 1);
    engine = createCountingEngine();
  });

  async function heldEngine(): Promise<{ held: Engine; isFree: () => Promise<boolean> }> {
    open({ waitingInferencesMax: 0 }, 1);
    const slot = await taken();
    const held = slot.within(engine);
    return {
      held,
      async isFree() {
        slot.leave();
        const other = await take('bob');
        if (typeof other === 'object') other.leave();
        return typeof other === 'object';
      },
    };
  }

  it('is free on release while no task has begun', async () => {
    const { isFree } = await heldEngine();
    expect(await isFree()).toBe(true);
  });

  it('is held until the task has ended, also after a release', async () => {
    const answered = Promise.withResolvers<void>();
    engine.answering = async (asked) => {
      await answered.promise;
      return ok(pong(asked));
    };
    const { held, isFree } = await heldEngine();
    const inferring = held.infer(task, limits);
    expect(await isFree()).toBe(false);
    answered.resolve();
    expect(await inferring).toMatchObject({ ok: true });
    expect(await isFree()).toBe(true);
  });

  it.each<[string, typeof engine.answering]>([
    ['fails', async () => fail({ kind: 'failed', detail: 'the test says so' })],
    ['throws', () => Promise.reject(new Error('a defect'))],
  ])('is free after a task that %s', async (_, answering) => {
    engine.answering = answering;
    const { held, isFree } = await heldEngine();
    await held.infer(task, limits).catch(() => undefined);
    expect(await isFree()).toBe(true);
  });

  it('is held until a stream has ended, or its reader stopped', async () => {
    const { held, isFree } = await heldEngine();
    const stream = held.stream(task, limits);
    await stream.next();
    expect(await isFree()).toBe(false);
    await stream.return(fail({ kind: 'cancelled', detail: 'the test says so' }));
    expect(await isFree()).toBe(true);
    const whole = (await heldEngine()).held.stream(task, limits);
    for (let next = await whole.next(); !next.done; next = await whole.next());
    expect(slots.waiting).toBe(0);
    expect(typeof (await take('bob'))).toBe('object');
  });

  it('takes the time of its wait from the time of the inference', async () => {
    const first = await taken('bob');
    const waits = take();
    await settle();
    clock.advance(1);
    first.leave();
    const slot = await waits;
    if (typeof slot === 'string') throw new Error(`the ${slot} is full`);
    const seen: number[] = [];
    engine.answering = async (asked, { timeoutMs }) => {
      seen.push(timeoutMs);
      return ok(pong(asked));
    };
    await slot.within(engine).infer(task, limits);
    expect(seen).toEqual([59_000]);
  });

  it('leaves everything else of the engine as it is', async () => {
    const { held } = await heldEngine();
    expect(held).toMatchObject({ name: engine.name, honours: engine.honours });
  });
});
