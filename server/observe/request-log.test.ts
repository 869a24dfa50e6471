import { describe, expect, it } from 'vitest';
import type { Log } from './log.ts';
import { createRequestLog } from './request-log.ts';

function observe() {
  const lines: Record<string, unknown>[] = [];
  const info = (line: Record<string, unknown>) => void lines.push(line);
  const clock = { ms: 0 };
  const write = createRequestLog({ info } as unknown as Log, () => clock.ms);
  const answered = (status: number, path = '/v1/models') =>
    write({ requestId: 'r', method: 'GET', path, status, ms: 1 });
  return { lines, clock, answered };
}

describe('The request log (D-174)', () => {
  it('has at most ten lines a second for 429, and counts the omitted lines', () => {
    const { lines, clock, answered } = observe();
    for (let count = 0; count < 25; count++) answered(429);
    expect(lines).toHaveLength(10);
    clock.ms = 1_000;
    answered(429);
    answered(429);
    expect(lines.slice(10)).toMatchObject([{ status: 429, unlogged: 15 }, { status: 429 }]);
    expect(lines[11]).not.toHaveProperty('unlogged');
  });

  it('has a line for each request with another status', () => {
    const { lines, answered } = observe();
    for (let count = 0; count < 25; count++) answered(count % 2 === 0 ? 402 : 200);
    expect(lines).toHaveLength(25);
  });

  it('cuts a path after 256 characters', () => {
    const { lines, answered } = observe();
    answered(404, `/${'x'.repeat(30_000)}`);
    answered(404, `/${'x'.repeat(255)}`);
    expect(lines.map(({ path }) => String(path).length)).toEqual([257, 256]);
  });
});
