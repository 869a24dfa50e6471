/**
 * Payments that one operation of the maintenance changes at most. The other operations of the store wait while it runs
 * (D-393).
 */
export const changesMax = 200;

/** Refused payments whose times one operation corrects at most. No other operation waits then: the gateway starts. */
export const correctionsMax = 5_000;

/** What a completion of a refused payment takes of the store at least, with its row. This bounds their number too. */
export const refusedBytesMin = 4_096;

/**
 * Repeats an operation until it changes fewer rows than it may. Between two calls, the store runs the operations that
 * wait for it.
 */
export async function changeAll(
  change: () => Promise<number>,
  closing?: AbortSignal,
  max = changesMax,
): Promise<void> {
  let changed = max;
  while (changed === max && closing?.aborted !== true) changed = await change();
}
