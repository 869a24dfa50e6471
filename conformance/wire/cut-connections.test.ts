import { describe, expect, it } from 'vitest';
import { sessionWith } from '../testing/session-target.ts';

describe('a broken connection', () => {
  const path = '/v1/chat/completions';
  const cutting = (isCut: (method: string | undefined, count: number) => boolean) => {
    let count = 0;
    return sessionWith(({ method }, response) => {
      count += 1;
      if (isCut(method, count)) response.destroy();
      else response.writeHead(402).end();
    });
  };
  const post = (target: Awaited<ReturnType<typeof cutting>>, more = {}) =>
    target.send({ method: 'POST', url: new URL(path, target.url).href, body: '{}', ...more });

  it('is retried once, even for the first request', async () => {
    await using target = await cutting((_, count) => count === 1);
    expect(await target.send()).toMatchObject({ value: { outcome: { status: 402 } } });
    expect(target.session.unanswered).toEqual([]);
  });

  it('that breaks every time while plain requests succeed is reported as unanswered', async () => {
    await using target = await cutting((method) => method === 'POST');
    await target.send();
    expect((await post(target)).ok).toBe(false);
    expect(target.session.exchanges.map(({ request }) => request.method).join(' ')).toBe(
      'GET POST GET POST GET POST GET',
    );
    expect(target.session.unanswered).toMatchObject([{ number: 6 }]);
  });

  it.each<[string, object]>([
    ['a payment that must not be retried', { headers: { 'X-PAYMENT': 'e30=' } }],
    ['a long body', { body: ' '.repeat(20_000) }],
    ['an observed request', { isOnlyObserved: true }],
  ])('is not reported for %s', async (_, more) => {
    await using target = await cutting((method) => method === 'POST');
    await target.send();
    await post(target, more);
    expect(target.session.unanswered).toEqual([]);
  });

  it('is not reported for a target that is down', async () => {
    await using target = await cutting((_, count) => count > 1);
    await target.send();
    for (let sent = 0; sent < 3; sent += 1) await post(target);
    expect(target.session.unanswered).toEqual([]);
    expect(target.session.exchanges.length).toBeLessThanOrEqual(5);
  });
});
