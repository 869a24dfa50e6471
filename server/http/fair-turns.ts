/** Calls a function in a later turn of the event loop. Calls are queued by network. */
export type FairTurns = (network: string, call: () => void) => void;

/** Turns of the event loop between two calls, free for other work. */
const turnsBetween = 8;

/**
 * Makes one call at a time, and takes the networks in rotation (D-173). Node handles all readable sockets in
 * one turn of the event loop, so 250 large bodies that end together would be parsed before any other client is
 * served. Node accepts one connection a turn, so some turns stay without a call (D-199).
 */
export function createFairTurns(): FairTurns {
  const waiting = new Map<string, (() => void)[]>();
  let isDue = false;
  return (network, call) => {
    const calls = waiting.get(network);
    if (calls === undefined) waiting.set(network, [call]);
    else calls.push(call);
    if (isDue) return;
    isDue = true;
    setImmediate(callOne);
  };

  function rest(turns: number): void {
    if (turns > 0) setImmediate(rest, turns - 1);
    else if (waiting.size > 0) setImmediate(callOne);
    else isDue = false;
  }

  function callOne(): void {
    const [next] = waiting;
    if (next === undefined) return;
    setImmediate(rest, turnsBetween - 1);
    const [network, calls] = next;
    const call = calls.shift();
    // A network with more calls goes to the end of the rotation.
    waiting.delete(network);
    if (calls.length > 0) waiting.set(network, calls);
    call?.();
  }
}
