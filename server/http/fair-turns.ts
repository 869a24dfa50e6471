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
 * (D-415), so no large body is processed in some turns (D-199). Half of the time is without large bodies. No call is made
 * while `isHeld` returns true.
 */
export function createFairTurns(isHeld: () => boolean = () => false): FairTurns {
  const queue = createQueue();
  let isDue = false;
  /** Set while only large bodies wait, for the end of their rest. */
  let timer: NodeJS.Timeout | null = null;
  let freeTurns = 0;
  let largeFromMs = 0;

  return (client, bytes, call) => {
    const added: Call = { bytes, call };
    queue.add(client, added);
    if (timer !== null && bytes <= bytesPerTurn) {
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
    if (queue.isEmpty()) isDue = false;
    else if (isHeld()) setImmediate(turn);
    else callSome();
  }

  /** Makes the first call, and more calls while their bytes fit into the turn. */
  function callSome(): void {
    const startedAt = performance.now();
    const isLargeDue = freeTurns === 0 && startedAt >= largeFromMs;
    let largest: number | null = null;
    let bytesLeft = bytesPerTurn;
    let next = queue.take(isLargeDue ? Number.POSITIVE_INFINITY : bytesPerTurn);
    for (; next !== null; next = queue.take(bytesLeft)) {
      largest = Math.max(largest ?? 0, next.bytes);
      bytesLeft -= next.bytes;
      next.call();
    }
    if (largest === null) waitForLarge(largeFromMs - startedAt);
    else setImmediate(goOn, largest, startedAt);
  }

  function waitForLarge(leftMs: number): void {
    if (leftMs > 1 && freeTurns === 0) timer = setTimeout(turn, leftMs);
    else setImmediate(turn);
    freeTurns = Math.max(0, freeTurns - 1);
  }

  /** After calls that took long, as much time stays free: of all calls, or of large ones if one of them was large. */
  function goOn(largest: number, startedAt: number): void {
    const tookMs = performance.now() - startedAt;
    const isLong = tookMs > msWithoutRestMax;
    const isLarge = largest > bytesPerTurn;
    if (isLong && isLarge) largeFromMs = performance.now() + tookMs;
    freeTurns = largest > bytesWithoutRestMax ? turnsBetween : Math.max(0, freeTurns - 1);
    if (isLong && !isLarge) setTimeout(turn, tookMs);
    else turn();
  }
}

/**
 * The waiting calls. The client with the fewest bytes so far comes first, so that a large body of one counts as much as
 * many small ones of another.
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
    /** Removes and returns the first call of at most so many bytes; null if there is none. */
    take(bytesMax: number): Call | null {
      const next = findNext(bytesMax);
      const call = next?.[1].calls.shift();
      if (!next || !call) return null;
      const [name, client] = next;
      position = Math.max(position, client.start) + call.bytes / clients.size;
      client.start += call.bytes;
      if (client.calls.length === 0) forget(name, client);
      return call;
    },
  };

  /** The client with the lowest start among those whose first call has at most `bytesMax`. */
  function findNext(bytesMax: number): readonly [string, Client] | null {
    let next: readonly [string, Client] | null = null;
    for (const each of clients) {
      const [, { calls, start }] = each;
      const isSmall = (calls[0]?.bytes ?? 0) <= bytesMax;
      if (isSmall && (next === null || start < next[1].start)) next = each;
    }
    return next;
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
