import { describe, expect, it } from 'vitest';
import { nowMs, sessionWith } from '../testing/session-target.ts';

describe('a session with a rate', () => {
  it('waits before each request except the first', async () => {
    let atMs = nowMs;
    await using target = await sessionWith(
      (_, response) => void response.end(),
      { requestsPerSecondMax: 4 },
      { nowMs: () => atMs },
    );
    await target.send();
    expect(target.slept).toEqual([]);
    await target.send();
    atMs += 100;
    await target.send();
    atMs += 250;
    await target.send();
    expect(target.slept).toEqual([0.25, 0.15]);
  });

  it('waits at most its interval after the clock was set back', async () => {
    let atMs = nowMs;
    await using target = await sessionWith(
      (_, response) => void response.end(),
      { requestsPerSecondMax: 2 },
      { nowMs: () => atMs },
    );
    await target.send();
    atMs -= 3_600_000;
    await target.send();
    expect(target.slept).toEqual([0.5]);
  });

  it('does not wait without a rate', async () => {
    await using target = await sessionWith((_, response) => void response.end());
    await target.send();
    await target.send();
    expect(target.slept).toEqual([]);
  });
});
