import { beforeEach, describe, expect, test } from 'vitest';
import {
  busy,
  type Conduct,
  doubtful,
  failed,
  fails,
  inferred,
  late,
  limits,
  openServers,
  task,
} from '../testing/inference/failover.ts';
import type { InferenceFault } from './engine.ts';

let given: ReturnType<typeof openServers>;
beforeEach(() => {
  given = openServers();
});
const server: typeof given.server = (conduct) => given.server(conduct);
const engineOf: typeof given.engineOf = (...of) => given.engineOf(...of);

describe('a server that works (D-313)', () => {
  const isWorking = (engine: ReturnType<typeof engineOf>) => engine.upstreams?.[0]?.isWorking();

  test.each<[string, InferenceFault, boolean]>([
    ['is full', busy, false],
    ['fails', failed, false],
    ['fails for a request, perhaps', doubtful, false],
    ['begins no response in time', late, false],
    ['refuses a request', { ...failed, isOfRequest: true }, true],
    ['lost its client', { ...failed, kind: 'cancelled' }, true],
    ['has no free connection', { ...busy, isUnsent: true }, true],
  ])('one that %s: %o', async (_, fault, expected) => {
    let conduct: Conduct = () => fault;
    const engine = engineOf([server((given) => conduct(given))]);
    expect(isWorking(engine)).toBe(true);
    await engine.infer(task, limits());
    expect(isWorking(engine)).toBe(expected);
    conduct = () => null;
    await engine.infer(task, limits());
    expect(isWorking(engine)).toBe(true);
  });
});

test('a server works while a task goes on, although another task failed for its request (D-313)', async () => {
  const completed = Promise.withResolvers<null>();
  let conduct: Conduct = () => completed.promise;
  const engine = engineOf([server((given) => conduct(given))]);
  const isWorking = () => engine.upstreams?.[0]?.isWorking();
  const long = engine.infer(task, limits());
  conduct = () => doubtful;
  await engine.infer(task, limits());
  expect(isWorking()).toBe(false);
  given.clock.advance(3);
  expect(isWorking()).toBe(true);
  conduct = () => null;
  completed.resolve(null);
  await long;
  expect(isWorking()).toBe(true);
});

describe('the breaker of a server (D-312)', () => {
  test('reports its trial, and no issue once the trial is due', async () => {
    const answered = Promise.withResolvers<null>();
    let conduct: Conduct = fails;
    const only = server((given) => conduct(given));
    const engine = engineOf([only]);
    const issue = () => engine.upstreams?.[0]?.breakerIssue();
    for (let count = 0; count < 2; count++) await engine.infer(task, limits());
    given.clock.advance(10);
    expect(issue()).toBeNull();
    conduct = () => answered.promise;
    const trial = engine.infer(task, limits());
    expect(issue()).toMatch(/one request tests it now$/);
    answered.resolve(null);
    await trial;
    expect(issue()).toBeNull();
  });

  test('counts a timeout of a server that begins no response', async () => {
    const only = server(() => late);
    const engine = engineOf([only]);
    for (let count = 0; count < 2; count++) await engine.infer(task, limits());
    expect(only.breaker.blockedMs()).not.toBeNull();
  });

  test('does not count a timeout while the server ends other responses: the task may be slow', async () => {
    let isSlow = true;
    const only = server(async ({ onBegun }) => {
      if (isSlow) {
        isSlow = false;
        await engine.infer(task, limits());
        isSlow = true;
        return late;
      }
      onBegun?.();
      return busy;
    });
    const engine = engineOf([only]);
    for (let count = 0; count < 4; count++) await engine.infer(task, limits());
    expect(only.breaker.blockedMs()).toBeNull();
  });

  test('counts the timeouts of a server that begins many responses and ends none', async () => {
    const all = Promise.withResolvers<void>();
    let begun = 0;
    const only = server(async ({ onBegun }) => {
      onBegun?.();
      if (++begun === 4) all.resolve();
      await all.promise;
      return late;
    });
    const engine = engineOf([only]);
    await Promise.all(Array.from({ length: 4 }, () => engine.infer(task, limits())));
    expect(only.breaker.blockedMs()).not.toBeNull();
  });

  test('counts a timeout after the own response began, because the server stopped in the middle', async () => {
    const only = server(({ onBegun }) => {
      onBegun?.();
      return late;
    });
    const engine = engineOf([only]);
    for (let count = 0; count < 2; count++) await engine.infer(task, limits());
    expect(only.breaker.blockedMs()).not.toBeNull();
  });

  test('counts neither overload nor the end by the caller', async () => {
    const faults: InferenceFault[] = [busy, { kind: 'cancelled', detail: 'left' }];
    const only = server(() => faults[0] ?? null);
    for (const fault of faults) {
      faults[0] = fault;
      for (let count = 0; count < 4; count++) await engineOf([only]).infer(task, limits());
    }
    expect(only.breaker.blockedMs()).toBeNull();
  });

  test('counts clients that leave after ten seconds without a response, for these clients (D-392)', async () => {
    const leave = async (ms: number) => {
      const only = server(async () => {
        given.clock.advance(ms / 1_000);
        return { kind: 'cancelled', detail: 'left' };
      });
      const engine = engineOf([only]);
      for (let count = 0; count < 2; count++) await engine.infer(task, limits({ client: 'alice' }));
      return ['alice', 'bob', undefined].map((client) => only.breaker.blockedMs(client) !== null);
    };
    expect(await leave(10_000)).toEqual([true, false, true]);
    expect(await leave(9_000)).toEqual([false, false, false]);
  });

  test.each<[string, Conduct]>([
    ['that the server says', () => doubtful],
    [
      'in the middle of a response',
      ({ onBegun }) => {
        onBegun?.();
        return failed;
      },
    ],
  ])('sends on the tasks of other payers after faults %s to one payer (D-342)', async (_name, conduct) => {
    const only = server((given) => (given.client === 'mallory' ? conduct(given) : null));
    const engine = engineOf([only]);
    const issueFor = (client?: string) => engine.upstreams?.[0]?.breakerIssue(client);
    for (let count = 0; count < 2; count++) await engine.infer(task, limits({ client: 'mallory' }));
    expect([issueFor(), issueFor('mallory')]).not.toContain(null);
    expect(issueFor('alice')).toBeNull();
    expect(await engine.infer(task, limits({ client: 'alice' }))).toMatchObject(inferred);
    expect(issueFor('mallory')).toBeNull();
  });

  test('lets a defect pass, and does not keep its trial', async () => {
    let isDefect = false;
    const only = server(() => {
      if (isDefect) throw new Error('a defect');
      return failed;
    });
    const engine = engineOf([only]);
    for (let count = 0; count < 2; count++) await engine.infer(task, limits());
    given.clock.advance(10);
    isDefect = true;
    await expect(engine.infer(task, limits())).rejects.toThrow('a defect');
    expect(only.breaker.blockedMs()).toBeNull();
  });
});
