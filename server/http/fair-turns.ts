/**
 * Calls a function in a later turn of the event loop. `client` is the site of a client (D-224), or a payer. `bytes` is the
 * size of the body that the call processes. Returns a function that takes the call back, with all that the call holds.
 */
export type FairTurns = (client: string, bytes: number, call: () => void) => () => void;

/** Bytes of all bodies that one turn processes. 8 KiB of small numbers take two milliseconds. */
const bytesPerTurn = 8_192;
/** A larger body takes so long that some turns after it stay free for other work. */
const bytesWithoutRestMax = 16_384;
/** The free turns after a large body. */
const turnsBetween = 8;
/** After calls that took longer together, as much time stays free. */
const msWithoutRestMax = 5;

/** Clients without calls whose earlier bytes still count. */
const servedMax = 4_096;

type Call = { bytes: number; call: () => void };

/** The waiting calls of a client. `start` is the sum of bytes at which its first call is due. */
type Client = { readonly calls: Call[]; start: number };

const nothing = () => {};

/**
 * Makes the calls of few bytes in each turn (D-173). Node handles all readable sockets in one turn of the event loop, so
 * 250 bodies that end together would be parsed before any other client is served. Node accepts a few connections a turn
 * (D-415), so no large body is processed in some turns (D-199). Half of the time is without large bodies, and small ones
 * go on meanwhile. So each of the two has a queue of its own, and the queues alternate. No call is made while `isHeld`
 * returns true.
 */
export function createFairTurns(
  isHeld: () => boolean = () => false,
  nowMs: () => number = () => performance.now(),
): FairTurns {
  const small = createQueue();
  const large = createQueue();
  let isDue = false;
  let isLargeNext = false;
  /** Set while only large bodies wait, for the end of their rest. */
  let timer: NodeJS.Timeout | null = null;
  let freeTurns = 0;
  let largeFromMs = 0;

  return (client, bytes, call) => {
    const added: Call = { bytes, call };
    const isSmall = bytes <= bytesPerTurn;
    (isSmall ? small : large).add(client, added);
    if (timer !== null && isSmall) {
      clearTimeout(timer);
      timer = null;
      setImmediate(turn);
    }
    if (!isDue) setImmediate(turn);
    isDue = true;
    return () => {
      added.bytes = 0;
      added.call = nothing;
    };
  };

  function turn(): void {
    timer = null;
    if (small.isEmpty() && large.isEmpty()) isDue = false;
    else if (isHeld()) setImmediate(turn);
    else callSome();
  }

  function callSome(): void {
    const startedAt = nowMs();
    const isLargeDue = !large.isEmpty() && freeTurns === 0 && startedAt >= largeFromMs;
    if (isLargeDue && (isLargeNext || small.isEmpty())) {
      isLargeNext = false;
      setImmediate(restLarge, callFirst(large, 0), startedAt);
    } else if (small.isEmpty()) waitForLarge(largeFromMs - startedAt);
    else {
      isLargeNext = true;
      callFirst(small, bytesPerTurn);
      setImmediate(restSmall, startedAt);
    }
  }

  function waitForLarge(leftMs: number): void {
    if (leftMs > 1 && freeTurns === 0) timer = setTimeout(turn, leftMs);
    else setImmediate(turn);
    freeTurns = Math.max(0, freeTurns - 1);
  }

  /** After a large call that took long, as much time has no other large call. */
  function restLarge(bytes: number, startedAt: number): void {
    const now = nowMs();
    if (now - startedAt > msWithoutRestMax) largeFromMs = now + (now - startedAt);
    freeTurns = bytes > bytesWithoutRestMax ? turnsBetween : 0;
    turn();
  }

  /** After small calls that took long together, as much time stays free. */
  function restSmall(startedAt: number): void {
    const tookMs = nowMs() - startedAt;
    freeTurns = Math.max(0, freeTurns - 1);
    if (tookMs > msWithoutRestMax) setTimeout(turn, tookMs);
    else turn();
  }
}

/** Makes the first call, and those behind it whose bytes fit with it. Returns the bytes of all. */
function callFirst(queue: Queue, bytesMax: number): number {
  let bytes = 0;
  let next = queue.take(Number.POSITIVE_INFINITY);
  for (; next !== null; next = queue.take(bytesMax - bytes)) {
    bytes += next.bytes;
    next.call();
  }
  return bytes;
}

type Queue = ReturnType<typeof createQueue>;

/**
 * Waiting calls. The client with the fewest bytes so far comes first, so that a large body of one counts as much as many
 * smaller ones of another. No call overtakes it: else all clients that begin later would wait until it has caught up.
 */
function createQueue() {
  const clients = new Map<string, Client>();
  /** Where a client without calls goes on. */
  const served = new Map<string, number>();
  /** A new client starts here. It moves on by an equal share of each call. */
  let position = 0;
  return {
    add(name: string, call: Call): void {
      const client = clients.get(name);
      if (client) client.calls.push(call);
      else clients.set(name, { calls: [call], start: Math.max(position, served.get(name) ?? 0) });
    },
    isEmpty(): boolean {
      return clients.size === 0;
    },
    /** Removes and returns the first call; null if it has more bytes, or there is none. */
    take(bytesMax: number): Call | null {
      const [name, client] = findFirst() ?? [];
      const call = client?.calls[0];
      if (name === undefined || !client || !call || call.bytes > bytesMax) return null;
      client.calls.shift();
      position = Math.max(position, client.start) + call.bytes / clients.size;
      client.start += call.bytes;
      if (client.calls.length === 0) forget(name, client);
      return call;
    },
  };

  function findFirst(): readonly [string, Client] | null {
    let first: readonly [string, Client] | null = null;
    for (const each of clients) if (first === null || each[1].start < first[1].start) first = each;
    return first;
  }

  /** Removes a client without calls. Its bytes still count for a while. */
  function forget(name: string, { start }: Client): void {
    clients.delete(name);
    served.delete(name);
    served.set(name, start);
    for (const oldest of served.keys()) {
      if (served.size <= servedMax) break;
      served.delete(oldest);
    }
  }
}
