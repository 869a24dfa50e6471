/**
 * Calls each function in a later turn of the event loop, `callsPerTurn` in each turn and in order. Node accepts one
 * connection a turn, so starting a request on each of 256 connections in one turn would keep new clients
 * waiting.
 */
export function createNextTurns(callsPerTurn: number): (call: () => void) => void {
  const due: (() => void)[] = [];
  return (call) => {
    if (due.push(call) === 1) setImmediate(callSome);
  };

  function callSome(): void {
    // Calls added during this loop wait for the next turn. The list stays non-empty until its last call.
    const some = due.slice(0, callsPerTurn);
    for (const call of some) call();
    due.splice(0, some.length);
    if (due.length > 0) setImmediate(callSome);
  }
}
