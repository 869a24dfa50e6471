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
 * Makes the calls of few bytes in each turn, and takes the clients in rotation (D-173). Node handles all readable
 * sockets in one turn of the event loop, so 250 bodies that end together would be parsed before any other client is
 * served. Node accepts a few connections a turn (D-415), so some turns stay without a call (D-199). Half of the
 * time stays free for other work. No call is made while `isHeld` returns true.
 */
export function createFairTurns(isHeld: () => boolean = () => false): FairTurns {
  const waiting = new Map<string, Call[]>();
  let isDue = false;
  return (client, bytes, call) => {
    const calls = waiting.get(client);
    const added: Call = { bytes, call };
    if (calls === undefined) waiting.set(client, [added]);
    else calls.push(added);
    if (!isDue) setImmediate(rest, 0);
    isDue = true;
    return () => {
      added.bytes = 0;
      added.call = nothing;
    };
  };

  function rest(turns: number): void {
    if (turns > 0 || isHeld()) setImmediate(rest, turns - 1);
    else if (waiting.size > 0) callSome();
    else isDue = false;
  }

  /** Makes the first call, and more of them while their bytes fit into the turn. */
  function callSome(): void {
    const startedAt = performance.now();
    let bytesLeft = bytesPerTurn;
    let largest = 0;
    for (const first of queue()) {
      if (largest > 0 && first.bytes > bytesLeft) break;
      bytesLeft -= first.bytes;
      largest = Math.max(largest, first.bytes);
      removeFirst();
      first.call();
    }
    setImmediate(() => {
      const tookMs = performance.now() - startedAt;
      if (tookMs > msWithoutRestMax) setTimeout(rest, tookMs, 0);
      else rest(largest > bytesWithoutRestMax ? turnsBetween : 0);
    });
  }

  /** The waiting calls, in the rotation of the clients. The caller removes each call that it makes. */
  function* queue(): Generator<Call> {
    for (let [next] = waiting; next !== undefined; [next] = waiting) {
      const [, [first]] = next;
      if (first !== undefined) yield first;
    }
  }

  /** Removes the first call. A client with more calls goes to the end of the rotation. */
  function removeFirst(): void {
    const [next] = waiting;
    if (next === undefined) return;
    const [client, calls] = next;
    calls.shift();
    waiting.delete(client);
    if (calls.length > 0) waiting.set(client, calls);
  }
}
