import { createFairTurns } from '../http/fair-turns.ts';

/** The length of a large completion. A usual one has some kilobytes, and takes less than a tenth of a millisecond. */
export const largeLengthMin = 65_536;

/** Parses a stored completion for one response to a client of this network. */
export type ParseCompletion = <Completion>(completion: string, network: string) => Promise<Completion>;

/**
 * Makes a parser in which large completions take turns (D-404). To parse and to serialize one of 2 MB takes tens of
 * milliseconds. Hundreds of requests for one completion get it in the same turn of the event loop, and no other client
 * would be served before all of them.
 */
export function createCompletionParser(): ParseCompletion {
  const takeTurn = createFairTurns();
  return async (completion, network) => {
    const { length } = completion;
    if (length >= largeLengthMin) await new Promise<void>((resolve) => takeTurn(network, length, resolve));
    return JSON.parse(completion);
  };
}
