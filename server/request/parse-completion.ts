import { createFairTurns } from '../http/fair-turns.ts';

/** The length of a large completion. A usual one has some kilobytes, and takes less than a tenth of a millisecond. */
export const largeLengthMin = 65_536;

/** The length of all large completions that may wait for their turn. Further ones stay in the store (D-410). */
const waitingLengthMax = 33_554_432;

/** Parses a stored completion for one response to a client of this site (D-224). */
export type ParseCompletion = <Completion>(completion: string, site: string) => Promise<Completion>;

export type CompletionParser = {
  readonly parse: ParseCompletion;
  /** Whether so many large completions wait that none may be read, while so much is being read from the store. */
  readonly isFull: (lengthBeingRead: number) => boolean;
};

/**
 * Makes a parser in which large completions take turns (D-404). To parse and to serialize one of 2 MB takes tens of
 * milliseconds. Hundreds of requests for one completion get it in the same turn of the event loop, and no other client
 * would be served before all of them.
 */
export function createCompletionParser(): CompletionParser {
  const takeTurn = createFairTurns();
  let waitingLength = 0;
  return {
    async parse(completion, site) {
      const { length } = completion;
      if (length >= largeLengthMin) {
        waitingLength += length;
        await new Promise<void>((resolve) => takeTurn(site, length, resolve));
        waitingLength -= length;
      }
      return JSON.parse(completion);
    },
    isFull: (lengthBeingRead) => waitingLength + lengthBeingRead > waitingLengthMax,
  };
}
