import { createFairQueue, type FairQueue } from '../types/fair-queue.ts';

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

type Call = { bytes: number; call: () => void };

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
  const small = createFairQueue<Call>();
  const large = createFairQueue<Call>();
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

/**
 * Makes the first call, and those behind it whose bytes fit with it. No call overtakes one that does not fit. Returns the
 * bytes of all.
 */
function callFirst(queue: FairQueue<Call>, bytesMax: number): number {
  let bytes = 0;
  let bytesLeft = Number.POSITIVE_INFINITY;
  for (let next = queue.first(); next && next.item.bytes <= bytesLeft; next = queue.first()) {
    const { item } = next;
    next.take(item.bytes);
    bytes += item.bytes;
    bytesLeft = bytesMax - bytes;
    item.call();
  }
  return bytes;
}
