import { beforeEach, describe, expect, it } from 'vitest';
import { type CircuitBreaker, createCircuitBreaker } from './circuit-breaker.ts';
import { type ManualClock, manualClock } from './clock.ts';
import { systemRandom } from './random.ts';

const settings = { failuresMax: 3, openMs: 10_000, openMsMax: 30_000 };
let clock: ManualClock;
let changes: boolean[];
let breaker: CircuitBreaker;

/** Half of the range of the jitter, so that the times of the settings apply. */
const middle = () => 0.5;

beforeEach(() => {
  clock = manualClock(1_800_000_000);
  changes = [];
  breaker = createCircuitBreaker(settings, clock, middle, (isOpen) => changes.push(isOpen));
});

function call(end: Parameters<ReturnType<CircuitBreaker['begin']>>[0], times = 1): void {
  for (let time = 0; time < times; time++) breaker.begin()(end);
}

describe('A closed circuit breaker (D-312)', () => {
  it('opens after the given number of failures in a row', () => {
    call('failure', 2);
    expect(breaker.blockedMs()).toBeNull();
    call('failure');
    expect(breaker.blockedMs()).toBe(10_000);
    expect(changes).toEqual([true]);
  });

  it('keeps all clients away, unless one client may have caused the failures (D-342)', () => {
    for (let time = 0; time < 3; time++) breaker.begin('payer')('doubtful');
    expect([breaker.blockedMs('payer'), breaker.blockedMs('other')]).toEqual([10_000, null]);
  });

  it('stays closed when a success comes between the failures', () => {
    call('failure', 2);
    call('success');
    call('failure', 2);
    expect(breaker.blockedMs()).toBeNull();
    expect(changes).toEqual([]);
  });

  it('counts the end of a call once', () => {
    const end = breaker.begin();
    for (let time = 0; time < 3; time++) end('failure');
    expect(breaker.blockedMs()).toBeNull();
  });

  it('neither counts nor forgets failures for a neutral end', () => {
    call('failure', 2);
    call('neutral', 5);
    expect(breaker.blockedMs()).toBeNull();
    call('failure');
    expect(breaker.blockedMs()).not.toBeNull();
  });
});

describe('An open circuit breaker (D-312)', () => {
  beforeEach(() => call('failure', 3));

  it('lets one call through after its time, and closes with the success of that trial', () => {
    clock.advance(9);
    expect(breaker.blockedMs()).toBe(1_000);
    clock.advance(1);
    expect(breaker.blockedMs()).toBeNull();
    const end = breaker.begin();
    expect(breaker.blockedMs(), 'a second call during the trial').toBe(0);
    end('success');
    expect(breaker.blockedMs()).toBeNull();
    expect(changes).toEqual([true, false]);
  });

  it('counts failures from 0 after it closed, and opens for the first time again', () => {
    clock.advance(10);
    call('failure');
    clock.advance(20);
    call('success');
    call('failure', 2);
    expect(breaker.blockedMs()).toBeNull();
    call('failure');
    expect(breaker.blockedMs()).toBe(10_000);
  });

  it('doubles its time with each trial that fails, up to the maximum, and reports no further change', () => {
    for (const [seconds, next] of [
      [10, 20_000],
      [20, 30_000],
      [30, 30_000],
    ] as const) {
      clock.advance(seconds);
      call('failure');
      expect(breaker.blockedMs()).toBe(next);
    }
    expect(changes).toEqual([true]);
  });

  it('lets the next call be the trial when a trial ended without a result', () => {
    clock.advance(10);
    call('neutral');
    expect(breaker.blockedMs()).toBeNull();
    call('success');
    expect(changes).toEqual([true, false]);
  });

  it('ignores the ends of calls that began before it opened', () => {
    clock.advance(10);
    call('success');
    const [late, later] = [breaker.begin(), breaker.begin()];
    call('failure', 3);
    late('success');
    expect(breaker.blockedMs()).toBe(10_000);
    clock.advance(10);
    const trial = breaker.begin();
    later('failure');
    expect(breaker.blockedMs(), 'the trial goes on').toBe(0);
    trial('success');
    expect(breaker.blockedMs()).toBeNull();
  });

  it('closes with the success of a call that began although it was open, and not with its failure', () => {
    call('failure');
    expect(breaker.blockedMs()).toBe(10_000);
    call('success');
    expect(breaker.blockedMs()).toBeNull();
  });
});

it('Breakers that open together have different times, within a fifth of the setting (D-312)', () => {
  const blocked = [0, 0.25, 0.999_999].map((random) => {
    const each = createCircuitBreaker({ ...settings, failuresMax: 1 }, clock, () => random);
    each.begin()('failure');
    return Math.round(each.blockedMs() ?? 0);
  });
  expect(blocked).toEqual([8_000, 9_000, 12_000]);
});

it('The random numbers of the gateway are at least 0 and below 1, and differ', () => {
  const drawn = Array.from({ length: 100 }, systemRandom);
  expect(drawn.every((number) => number >= 0 && number < 1)).toBe(true);
  expect(new Set(drawn).size).toBeGreaterThan(50);
});

describe('A circuit breaker after doubtful failures (D-342)', () => {
  const end = (client: string, how: Parameters<typeof call>[0], times = 1) => {
    for (let time = 0; time < times; time++) breaker.begin(client)(how);
  };
  beforeEach(() => end('mallory', 'doubtful', 3));

  it('keeps only their clients away', () => {
    expect([breaker.blockedMs('mallory'), breaker.blockedMs()]).toEqual([10_000, 10_000]);
    expect(breaker.blockedMs('alice')).toBeNull();
  });

  it('closes with the success of another client', () => {
    end('alice', 'success');
    expect(breaker.blockedMs('mallory')).toBeNull();
    expect(changes).toEqual([true, false]);
    end('bob', 'doubtful', 3);
    expect([breaker.blockedMs('mallory'), breaker.blockedMs('bob')]).toEqual([null, 10_000]);
  });

  it('keeps another client away once its call has failed too', () => {
    end('alice', 'doubtful');
    expect([breaker.blockedMs('alice'), breaker.blockedMs('bob')]).toEqual([10_000, null]);
  });

  it('keeps all clients away after a failure of the server itself', () => {
    end('alice', 'failure');
    expect(breaker.blockedMs('bob')).toBe(10_000);
  });

  it('keeps all clients away when a hundred others failed too', () => {
    for (let each = 0; each < 99; each++) end(`client ${each}`, 'doubtful');
    expect(breaker.blockedMs('bob')).toBeNull();
    end('client 100', 'doubtful');
    expect(breaker.blockedMs('bob')).toBe(10_000);
  });
});
