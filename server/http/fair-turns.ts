/** Calls a function in a later turn of the event loop, on behalf of one network. */
export type FairTurns = (network: string, call: () => void) => void;

/**
 * Makes one call in each turn of the event loop, and goes round the networks (D-173). Node handles all sockets that are
 * readable in one turn, so 250 large bodies that end together would be parsed before any other client is served.
 */
export function createFairTurns(): FairTurns {
  const waiting = new Map<string, (() => void)[]>();
  let isDue = false;
  return (network, call) => {
    const calls = waiting.get(network);
    if (calls === undefined) waiting.set(network, [call]);
    else calls.push(call);
    callLater();
  };

  function callLater(): void {
    if (isDue || waiting.size === 0) return;
    isDue = true;
    setImmediate(() => {
      isDue = false;
      callOne();
      callLater();
    });
  }

  function callOne(): void {
    const [next] = waiting;
    if (next === undefined) return;
    const [network, calls] = next;
    const call = calls.shift();
    // A network with more calls goes to the end of the round.
    waiting.delete(network);
    if (calls.length > 0) waiting.set(network, calls);
    call?.();
  }
}
