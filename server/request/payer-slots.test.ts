import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Engine, InferenceLimits } from '../inference/engine.ts';
import { createCountingEngine, pong } from '../testing/counting-engine.ts';
import { textTask } from '../testing/inference/tasks.ts';
import { settle, stays, useSlots } from '../testing/slots-scene.ts';
import { fail, ok } from '../types/result.ts';
import type { Place } from './inference-slots.ts';

// D-431: a payer leaves slots to others.

const scene = useSlots();
const { open, take, taken } = scene;
const task = textTask('Hello');

describe('The slots that a payer leaves to others (D-431)', () => {
  beforeEach(() => open({ payerInferencesMax: null, payerSlotsRatioMax: 3 }, 16));

  /** Takes slots until the payer has to wait, and returns them. */
  async function takeAll(payer: string, model?: string): Promise<readonly Place[]> {
    const places: Place[] = [];
    for (;;) {
      const next = take(payer, model);
      await settle();
      if (scene.slots.waiting > 0) {
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

  it('are a quarter for the strangers of one site together: a client may have a payer for each payment', async () => {
    const ofFarm = (payer: string) => take(payer, 'one', stays, 'farm');
    const asked = Array.from({ length: 16 }, (_, index) => ofFarm(`payer ${index}`));
    await settle();
    // The other requests wait, and four may do so.
    expect(scene.slots.waiting).toBe(4);
    await vi.advanceTimersByTimeAsync(1_000);
    const places = await Promise.all(asked);
    expect(places.filter((place) => typeof place === 'object').length).toBe(12);
    expect((await takeAll('bob')).length).toBe(3);
  });

  it('are none for payers of one site who have completed an inference', async () => {
    // Without a limit on left inferences, too.
    open({ payerInferencesMax: null, payerSlotsRatioMax: 3, leftInferenceMsMax: null }, 16);
    const engine = createCountingEngine();
    engine.answering = async (asked) => {
      scene.clock.advance(1);
      return ok(pong(asked));
    };
    const payers = Array.from({ length: 16 }, (_, index) => `payer ${index}`);
    const run = async (payer: string) => {
      const place = await take(payer, 'one', stays, 'farm');
      if (typeof place === 'string') throw new Error(`the ${place} is full`);
      return place;
    };
    for (const payer of payers)
      await (await run(payer)).within(engine).infer(task, { timeoutMs: 60_000, signal: stays });
    expect((await Promise.all(payers.map(run))).length).toBe(16);
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

  it('are a quarter of the slots of the upstreams that work now', async () => {
    let max = 8;
    open({ payerInferencesMax: null, payerSlotsRatioMax: 3 }, { pool: 'all', max: () => max });
    expect((await takeAll('alice')).length).toBe(6);
    max = 16;
    expect((await takeAll('alice')).length).toBe(6);
    max = 8;
    await expect(takeAll('bob')).resolves.toEqual([]);
  });

  it('are shared by the models of one engine', async () => {
    open({ payerInferencesMax: null, payerSlotsRatioMax: 3 }, { pool: 'all', max: () => 16 });
    expect((await takeAll('alice', 'one')).length).toBe(12);
    expect((await takeAll('alice', 'other')).length).toBe(0);
    open({ payerInferencesMax: null, payerSlotsRatioMax: 3 }, 16);
    expect((await takeAll('alice', 'one')).length).toBe(12);
    expect((await takeAll('alice', 'other')).length).toBe(12);
  });

  it('go to another payer at once, and its end lets a waiting request of the first payer run', async () => {
    const held = await takeAll('alice');
    const waits = take('alice');
    await settle();
    const other = [await taken('bob'), await taken('bob')];
    held[0]?.leave();
    expect(scene.slots.waiting).toBe(1);
    other[0]?.leave();
    expect(scene.slots.waiting).toBe(0);
    expect(typeof (await waits)).toBe('object');
  });
});

it('The slots of a model go to the site with the fewest inferences first, however many payers it has', async () => {
  const ofFarm = async (payer: string) => take(payer, 'one', stays, 'farm');
  const first = await ofFarm('alice');
  await ofFarm('bob');
  const order: string[] = [];
  const asked = [
    ['carol', 'farm'],
    ['dora', 'farm'],
    ['emil', 'home'],
  ] as const;
  for (const [payer, site] of asked) void take(payer, 'one', stays, site).then(() => order.push(payer));
  await settle();
  if (typeof first === 'object') first.leave();
  await settle();
  expect(order).toEqual(['emil']);
});

it('A task names its payer and its site to the engine, which shares the work among them (D-200)', async () => {
  open({}, 1);
  const place = await take('alice', 'one', stays, 'farm');
  if (typeof place === 'string') throw new Error(`the ${place} is full`);
  const engine = createCountingEngine();
  const seen: InferenceLimits[] = [];
  const noting: Engine = {
    ...engine,
    infer(asked, limits) {
      seen.push(limits);
      return engine.infer(asked, limits);
    },
  };
  await place.within(noting).infer(task, { timeoutMs: 60_000, signal: stays });
  expect(seen).toMatchObject([{ client: 'alice', site: 'farm' }]);
});

describe('A payer that left inferences (D-431)', () => {
  beforeEach(() => open({ payerInferencesMax: null, leftInferenceMsMax: 100_000 }, 8));

  /** Runs an inference or a stream that its client leaves, or that ends by itself. */
  async function runFor(
    seconds: number,
    end: 'left' | 'completed' | 'failed' | 'refused',
    how: 'infer' | 'stream',
    payer = 'alice',
    site = payer,
  ) {
    const engine = createCountingEngine();
    const limits: InferenceLimits = { timeoutMs: 60_000, signal: stays };
    engine.answering = async (asked) => {
      scene.clock.advance(seconds);
      if (end === 'completed') return ok(pong(asked));
      const kind = end === 'left' ? 'cancelled' : 'failed';
      return fail({ kind, detail: 'the test says so', ...(end === 'refused' && { isOfRequest: true }) });
    };
    const place = await take(payer, 'one', stays, site);
    if (typeof place === 'string') throw new Error(`the ${place} is full`);
    const held = place.within(engine);
    if (how === 'infer') return void (await held.infer(task, limits));
    const stream = held.stream(task, limits);
    if (end !== 'left') for (let next = await stream.next(); !next.done; next = await stream.next());
    else {
      await stream.next();
      scene.clock.advance(seconds);
      await stream.return(fail({ kind: 'cancelled', detail: 'the reader left' }));
    }
  }

  async function countSlots(payer = 'alice', site = payer): Promise<number> {
    let count = 0;
    for (let ask = 0; ask < 3; ask += 1) {
      const next = take(payer, 'one', stays, site);
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

  it.each(['infer', 'stream'] as const)(
    'is limited by requests that no engine can serve: %s',
    async (how) => {
      for (const seconds of [60, 60]) await runFor(seconds, 'refused', how);
      expect(await countSlots()).toBe(1);
      expect(await countSlots('bob')).toBe(3);
    },
  );

  it('leaves one slot to the strangers of its site, however many there are, and not to its known payers', async () => {
    await runFor(1, 'completed', 'infer', 'dora', 'farm');
    for (const payer of ['alice', 'bob']) await runFor(60, 'left', 'infer', payer, 'farm');
    expect(await countSlots('dora', 'farm')).toBe(3);
    expect(await countSlots('carol', 'farm')).toBe(1);
    expect(await countSlots('alice', 'home')).toBe(3);
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
    scene.clock.advance(600 - 1);
    expect(await countSlots()).toBe(1);
    open({ payerInferencesMax: null, leftInferenceMsMax: 100_000 }, 8);
    await runFor(101, 'left', 'infer');
    scene.clock.advance(600);
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
    expect(scene.slots.waiting).toBe(1);
    expect(typeof (await waits[1])).toBe('object');
  });

  it('has no limit without the setting', async () => {
    open({ payerInferencesMax: null }, 8);
    for (let each = 0; each < 5; each += 1) await runFor(600, 'left', 'infer');
    expect(await countSlots()).toBe(3);
  });
});
