import { beforeEach, describe, expect, test, vi } from 'vitest';
import { collect } from '../testing/inference/exchange.ts';
import {
  busy,
  type Conduct,
  failed,
  fails,
  inferred,
  late,
  limits,
  openServers,
  task,
  works,
} from '../testing/inference/failover.ts';
import { fail } from '../types/result.ts';
import type { InferenceFault } from './engine.ts';
import type { Member } from './failover-attempts.ts';

const refused: InferenceFault = { ...failed, isOfRequest: true };

let given: ReturnType<typeof openServers>;
beforeEach(() => {
  given = openServers();
});
const server: typeof given.server = (conduct) => given.server(conduct);
const engineOf: typeof given.engineOf = (...of) => given.engineOf(...of);

describe('the choice of a server (D-310)', () => {
  test('follows the weights', async () => {
    const servers = [server(works), server(works)];
    const engine = engineOf(servers, { weights: [3, 1] });
    for (let count = 0; count < 40; count++) await engine.infer(task, limits());
    expect(servers.map(({ seen }) => seen.length)).toEqual([30, 10]);
  });

  test('leaves out a server whose breaker is open, and uses it again after its trial', async () => {
    let isBroken = true;
    const [sick, well] = [server(() => (isBroken ? failed : null)), server(works)];
    const engine = engineOf([sick, well]);
    for (let count = 0; count < 10; count++)
      expect(await engine.infer(task, limits())).toMatchObject(inferred);
    expect(sick.seen).toHaveLength(2);
    isBroken = false;
    given.clock.advance(10);
    for (let count = 0; count < 10; count++) await engine.infer(task, limits());
    expect(sick.seen).toHaveLength(2 + 5);
  });

  test('tries the server whose trial is due first when no server works', async () => {
    const [one, other] = [server(fails), server(fails)];
    const engine = engineOf([one, other]);
    for (let count = 0; count < 2; count++) await engine.infer(task, limits());
    expect([one.breaker.blockedMs(), other.breaker.blockedMs()]).toEqual([10_000, 10_000]);
    given.clock.advance(4);
    one.breaker.begin()('success');
    for (let count = 0; count < 2; count++) one.breaker.begin()('failure');
    // The other server is due 4 seconds before this one.
    const before = [one.seen.length, other.seen.length];
    expect(await engine.infer(task, limits())).toMatchObject({ ok: false, fault: failed });
    expect([one.seen.length, other.seen.length]).toEqual([before[0], (before[1] ?? 0) + 1]);
  });
});

describe('a task goes to another server (D-311)', () => {
  test.each<[string, Conduct]>([
    ['fails', fails],
    ['does not begin its response in time', () => late],
    ['is overloaded', () => busy],
  ])('when the first one %s', async (_, conduct) => {
    const [sick, well] = [server(conduct), server(works)];
    expect(await engineOf([sick, well]).infer(task, limits())).toMatchObject(inferred);
    expect([sick.seen.length, well.seen.length]).toEqual([1, 1]);
    expect(given.logged).toEqual([
      [
        { model: 'alder/alder-mini', upstream: 1, fault: await conduct(limits()) },
        'an upstream failed; the request goes to another one',
      ],
    ]);
  });

  test('but not when it refuses the request, or its completion cannot be sold', async () => {
    const [sick, well] = [server(() => refused), server(works)];
    expect(await engineOf([sick, well]).infer(task, limits())).toEqual(fail(refused));
    expect(well.seen).toHaveLength(0);
    for (let count = 0; count < 9; count++) await engineOf([sick]).infer(task, limits());
    expect(sick.breaker.blockedMs(), 'a client could open the breaker').toBeNull();
  });

  test('but not when the caller has cancelled', async () => {
    const controller = new AbortController();
    const leaves: Conduct = () => {
      controller.abort();
      return failed;
    };
    const [sick, well] = [server(leaves), server(works)];
    await engineOf([sick, well], { delayMsMax: 10 }).infer(task, limits({ signal: controller.signal }));
    expect(well.seen).toHaveLength(0);
  });

  test('as often as the attempts allow, and the last fault is the result', async () => {
    const servers = [server(fails), server(fails), server(() => late), server(works)];
    const count = () => servers.map(({ seen }) => seen.length);
    expect(await engineOf(servers, { attemptsMax: 3 }).infer(task, limits())).toEqual(fail(late));
    expect(count()).toEqual([1, 1, 1, 0]);
    expect(await engineOf(servers, { attemptsMax: 1 }).infer(task, limits())).toEqual(fail(failed));
    expect(count()).toEqual([2, 1, 1, 0]);
  });

  test('after a random pause, which only a failure needs', async () => {
    vi.useFakeTimers();
    try {
      const well = server(works);
      const inferring = engineOf([server(fails), well], { delayMsMax: 80 }).infer(task, limits());
      await vi.advanceTimersByTimeAsync(79);
      expect(well.seen).toHaveLength(0);
      await vi.advanceTimersByTimeAsync(1);
      expect(await inferring).toMatchObject(inferred);
      const other = engineOf([server(() => busy), well], { delayMsMax: 80 }).infer(task, limits());
      await vi.advanceTimersByTimeAsync(0);
      expect(await other).toMatchObject(inferred);
    } finally {
      vi.useRealTimers();
    }
  });

  test('within the deadline: each attempt has an equal share of the time to begin, and the last one the rest', async () => {
    const slow: Conduct = () => {
      given.clock.advance(20);
      return late;
    };
    const servers = [server(slow), server(slow), server(works)];
    await engineOf(servers, { attemptsMax: 3 }).infer(task, limits());
    expect(servers.map(({ seen: [first] }) => [first?.timeoutMs, first?.beginTimeoutMs])).toEqual([
      [60_000, 20_000],
      [40_000, 20_000],
      [20_000, undefined],
    ]);
  });

  test('but not when the time is over', async () => {
    const slow: Conduct = () => {
      given.clock.advance(60);
      return late;
    };
    const [sick, well] = [server(slow), server(works)];
    expect(await engineOf([sick, well]).infer(task, limits())).toEqual(fail(late));
    expect(well.seen).toHaveLength(0);
  });
});

describe('a single server', () => {
  test('gets each task once, with the whole time', async () => {
    const only = server(fails);
    expect(await engineOf([only]).infer(task, limits())).toEqual(fail(failed));
    expect(only.seen).toMatchObject([{ timeoutMs: 60_000 }]);
    expect(only.seen[0]?.beginTimeoutMs).toBeUndefined();
    expect(given.logged).toEqual([]);
  });

  test('gets a task although its breaker is open, because it may be owed', async () => {
    let isBroken = true;
    const only = server(() => (isBroken ? failed : null));
    const engine = engineOf([only]);
    for (let count = 0; count < 2; count++) await engine.infer(task, limits());
    expect(engine.upstreams?.[0]?.breakerIssue()).toMatch(
      /requests to the upstream failed.*tests it in 10 s$/,
    );
    isBroken = false;
    expect(await engine.infer(task, limits())).toMatchObject(inferred);
    expect(engine.upstreams?.[0]?.breakerIssue()).toBeNull();
  });
});

describe('a stream (D-311)', () => {
  /** A server whose stream yields a text, and then has a fault. */
  function breaking(): Member & { readonly returned: () => boolean } {
    const member = server(works);
    let isReturned = false;
    Object.assign(member.engine, {
      async *streaming() {
        try {
          yield { kind: 'text', text: 'po' };
          return fail(failed);
        } finally {
          isReturned = true;
        }
      },
    });
    return { ...member, returned: () => isReturned };
  }

  test('goes to another server while nothing was yielded', async () => {
    const [sick, well] = [server(fails), server(works)];
    const { deltas, result } = await collect(engineOf([sick, well]).stream(task, limits()));
    expect(deltas).toEqual([{ kind: 'text', text: 'pong' }]);
    expect(result).toMatchObject(inferred);
    expect([sick.seen.length, well.seen.length]).toEqual([1, 1]);
  });

  test('goes to no other server once a part was yielded, and its fault counts', async () => {
    const [sick, well] = [breaking(), server(works)];
    const engine = engineOf([sick, well], { weights: [9, 1] });
    for (let count = 0; count < 2; count++) {
      const { deltas, result } = await collect(engine.stream(task, limits()));
      expect(deltas).toEqual([{ kind: 'text', text: 'po' }]);
      expect(result).toEqual(fail(failed));
    }
    expect(well.seen).toHaveLength(0);
    expect(sick.breaker.blockedMs()).not.toBeNull();
  });

  test('ends the stream of its server when the reader stops', async () => {
    const sick = breaking();
    const stream = engineOf([sick]).stream(task, limits());
    await stream.next();
    expect(sick.returned()).toBe(false);
    await stream.return(fail({ kind: 'cancelled', detail: 'the test says so' }));
    expect(sick.returned()).toBe(true);
    expect(sick.breaker.blockedMs()).toBeNull();
  });
});
