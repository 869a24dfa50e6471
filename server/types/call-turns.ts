/**
 * Makes a call to a server outside once it has its turn, and passes the rest of `timeoutMs` to it. Returns null if the
 * time ends, or `givenUp` aborts, before the turn. `client` is the payer or the site for which the gateway makes the
 * call. Each call belongs to a request, so the limits on requests bound the calls that wait.
 */
export type CallTurns = <T>(
  client: string,
  timeoutMs: number,
  call: (leftMs: number) => Promise<T>,
  givenUp?: AbortSignal,
) => Promise<T | null>;

/** The calls of one client. */
type Client = { running: number; readonly waiting: Set<() => void> };

/**
 * Makes at most `callsMax` calls at once, and at most half of them for one client. The clients take turns, so a client
 * with hundreds of calls delays the call of another by a few calls only (D-164, D-227). `nowMs` is a monotonic time.
 */
export function createCallTurns(callsMax: number, nowMs: () => number): CallTurns {
  const callsOfClientMax = Math.ceil(callsMax / 2);
  /** In the order of their next turns. */
  const clients = new Map<string, Client>();
  let running = 0;
  return async (name, timeoutMs, call, givenUp) => {
    const beganMs = nowMs();
    const client = clients.get(name) ?? { running: 0, waiting: new Set() };
    clients.set(name, client);
    if (!(await takeTurn(name, client, timeoutMs, givenUp))) return null;
    try {
      return await call(Math.max(1, Math.ceil(timeoutMs - (nowMs() - beganMs))));
    } finally {
      running -= 1;
      client.running -= 1;
      forgetIdle(name, client);
      startNext();
    }
  };

  /** Resolves true at the turn of the call, and false after the wait. */
  function takeTurn(
    name: string,
    client: Client,
    waitMs: number,
    givenUp: AbortSignal | undefined,
  ): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const giveUp = () => {
      clearTimeout(timer);
      givenUp?.removeEventListener('abort', giveUp);
      client.waiting.delete(start);
      forgetIdle(name, client);
      resolve(false);
    };
    const timer = setTimeout(giveUp, waitMs);
    const start = () => {
      clearTimeout(timer);
      givenUp?.removeEventListener('abort', giveUp);
      resolve(true);
    };
    givenUp?.addEventListener('abort', giveUp, { once: true });
    client.waiting.add(start);
    startNext();
    return promise;
  }

  /** Starts calls that wait. A client whose call starts is the last one for the next turn. */
  function startNext(): void {
    for (const [name, client] of clients) {
      if (running >= callsMax) return;
      const [start] = client.running < callsOfClientMax ? client.waiting : [];
      if (start === undefined) continue;
      client.waiting.delete(start);
      client.running += 1;
      running += 1;
      clients.delete(name);
      clients.set(name, client);
      start();
    }
  }

  function forgetIdle(name: string, client: Client): void {
    if (client.running === 0 && client.waiting.size === 0) clients.delete(name);
  }
}
