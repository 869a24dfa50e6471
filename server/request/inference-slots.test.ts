import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Engine, InferenceLimits } from '../inference/engine.ts';
import { createCountingEngine, pong } from '../testing/counting-engine.ts';
import { textTask } from '../testing/inference/tasks.ts';
import { settle, stays, useSlots } from '../testing/slots-scene.ts';
import { fail, ok } from '../types/result.ts';

const scene = useSlots();
const { open, take, taken } = scene;
const task = textTask('Hello');

describe('The slots of a model (D-313)', () => {
  it('are taken at once while there are some, and a further request waits for one', async () => {
    const first = await taken('alice');
    await taken('bob');
    const third = take('carol');
    await settle();
    expect(scene.slots.waiting).toBe(1);
    first.leave();
    expect(typeof (await third)).toBe('object');
    expect(scene.slots.waiting).toBe(0);
  });

  it('may become more while requests wait, which then begin', async () => {
    let max = 1;
    open({}, { pool: 'one', max: () => max });
    await taken('alice');
    const waiting = [take('bob'), take('carol')];
    await settle();
    expect(scene.slots.waiting).toBe(2);
    max = 3;
    await vi.advanceTimersByTimeAsync(500);
    for (const place of await Promise.all(waiting)) expect(typeof place).toBe('object');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('are counted for each model', async () => {
    await taken('alice', 'one');
    await taken('bob', 'one');
    expect(typeof (await take('carol', 'other'))).toBe('object');
  });

  it('are not limited without a limit', async () => {
    open({ payerInferencesMax: null }, null);
    for (let count = 0; count < 1_000; count++) await taken();
    expect(scene.slots.waiting).toBe(0);
  });

  it('refuse a request after its wait, and the place of that request is free', async () => {
    const held = [await taken('alice'), await taken('bob')];
    const third = take('carol');
    await vi.advanceTimersByTimeAsync(999);
    expect(scene.slots.waiting).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await third).toBe('model');
    expect(scene.slots.waiting).toBe(0);
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
    expect([scene.slots.waiting, ...order]).toEqual([3, 'alice model', 'bob model', 'alice model']);
    slot.leave();
    await settle();
    expect(order.slice(3)).toEqual(['alice runs', 'alice runs', 'bob runs']);
  });

  it('do not let the waiting payers of one site keep those of others from waiting (D-395)', async () => {
    open({ waitingInferencesMax: 3 }, 1);
    await taken('alice');
    const refused: string[] = [];
    const ask = (payer: string, site: string) =>
      void take(payer, 'one', stays, site).then(
        (place) => typeof place === 'string' && refused.push(`${payer} ${place}`),
      );
    for (const payer of ['bob', 'carol', 'dora']) ask(payer, 'farm');
    ask('emil', 'home');
    await settle();
    expect(refused).toEqual(['dora model']);
    // Each site may wait with as many as the other one has.
    ask('fred', 'home');
    ask('gina', 'farm');
    await settle();
    expect([scene.slots.waiting, ...refused]).toEqual([3, 'dora model', 'fred model', 'gina model']);
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
    expect(scene.slots.waiting).toBe(0);
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
    for (let count = 0; count < 3; count++) scene.slots.enter({ model: 'one', payer: 'alice', site: 'home' });
    for (const payer of ['bob', 'carol']) await taken(payer);
    expect(scene.slots.waiting).toBe(0);
  });

  it('is refused only when too many wait already, although it may get no slot later', async () => {
    open({ waitingInferencesMax: 1 });
    for (const payer of ['alice', 'bob']) await taken(payer);
    const places = ['carol', 'dora'].map((payer) => scene.slots.enter({ model: 'one', payer, site: payer }));
    const starts = places.map((place) => (typeof place === 'string' ? place : place.start(stays)));
    expect(scene.slots.waiting).toBe(1);
    expect(await starts[1]).toBe(false);
    expect(scene.slots.enter({ model: 'one', payer: 'emil', site: 'home' })).toBe('model');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await starts[0]).toBe(false);
  });

  it('counts for its payer from the beginning', async () => {
    for (let count = 0; count < 3; count++) scene.slots.enter({ model: 'one', payer: 'alice', site: 'home' });
    expect(scene.slots.enter({ model: 'one', payer: 'alice', site: 'home' })).toBe('payer');
  });
});

describe('The slots of a payer (D-313)', () => {
  it('are limited over all models, and requests that wait count', async () => {
    await taken('alice', 'one');
    await taken('bob', 'one');
    await taken('alice', 'other');
    const waits = take('alice', 'one');
    await settle();
    expect(scene.slots.waiting).toBe(1);
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
    expect(scene.slots.waiting).toBe(0);
    expect(typeof (await take('bob'))).toBe('object');
  });

  it('takes the time of its wait from the time of the inference', async () => {
    const first = await taken('bob');
    const waits = take();
    await settle();
    scene.clock.advance(1);
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
