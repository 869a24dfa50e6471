import { createNextTurns } from '../http/next-turns.ts';
import type { Inference, InferenceDelta } from '../inference/engine.ts';
import { wholePairs } from '../inference/stream.ts';
import type { PaymentRecord } from '../store/store.ts';

/** A stream broke after its first text. Its connection must break, too, so that it does not look complete. */
export class StreamBroken extends Error {
  override readonly name = 'StreamBroken';
}

/** The whole completion, and its encoded proof. */
export type PartsEnd = { readonly inference: Inference; readonly proof: string };

/**
 * The parts of a completion while the model writes it. Each reader gets all of them, also those from before. The
 * engine bounds a completion (`upstreamResponseBytesMax`), and so its parts.
 */
export type LiveParts = {
  push(delta: InferenceDelta): void;
  end(end: PartsEnd): void;
  break(): void;
  readonly state: 'open' | 'ended' | 'broken';
  /** The text of all parts. */
  text(): string;
  /**
   * Yields the parts, and returns the end. Texts that follow each other are one part up to a length, so that a reader
   * that is late or slow keeps no long text of its own. Throws `StreamBroken`.
   */
  read(): AsyncGenerator<InferenceDelta, PartsEnd, void>;
};

/** A run of a model whose payment is owed from its first text on (D-272). */
export type LiveRun = {
  readonly payment: PaymentRecord;
  readonly state: LiveParts['state'];
  /** The payment with its completion, at the end of the run; null if the run broke. */
  readonly whole: Promise<PaymentRecord | null>;
  /** Resolves when the model has ended. The write of its completion may take longer. */
  readonly ended: Promise<void>;
  /** All events for one client, also those from before. Throws `StreamBroken`. */
  events(includeUsage: boolean): AsyncGenerator<string, void, void>;
  /** Stops the model: its completion will not be sold. */
  stop(): void;
};

/** UTF-16 units of a text that one reader takes at once. */
const textLengthMax = 16_384;

/**
 * Readers that go on in one turn of the event loop. One stream has up to 64 readers (D-407). Without turns, all readers of
 * dozens of streams write at every event, and the gateway does nothing else. A reader that waits gets more text at once.
 */
const readersOfTurn = { callsMax: 32, ms: 4 };
const turns = createNextTurns(readersOfTurn);
let streams = 0;

/** The streams take turns, so the only reader of a stream does not wait for all readers of another. */
function takeTurn(stream: string): Promise<void> {
  return new Promise((resolve) => turns.add(stream, resolve));
}

export function createLiveParts(): LiveParts {
  const stream = String(++streams);
  const parts: InferenceDelta[] = [];
  let state: LiveParts['state'] = 'open';
  let ended: PartsEnd | null = null;
  let changed = Promise.withResolvers<void>();
  const wake = () => {
    changed.resolve();
    changed = Promise.withResolvers();
  };
  return {
    push(delta) {
      parts.push(delta);
      wake();
    },
    end(end) {
      ended = end;
      state = 'ended';
      wake();
    },
    break() {
      state = 'broken';
      wake();
    },
    get state() {
      return state;
    },
    text: () => parts.map((part) => (part.kind === 'text' ? part.text : '')).join(''),
    async *read() {
      const place = { part: 0, unit: 0 };
      for (;;) {
        await takeTurn(stream);
        const next = takePart(parts, place);
        if (next !== null) yield next;
        else if (ended !== null) return ended;
        else if (state === 'broken')
          throw new StreamBroken('The completion ended early. The same payment gets it whole.');
        else await changed.promise;
      }
    },
  };
}

/** Takes the part at this place, joined with the texts that follow it, and moves the place. Null if there is none. */
function takePart(
  parts: readonly InferenceDelta[],
  place: { part: number; unit: number },
): InferenceDelta | null {
  const first = parts[place.part];
  if (first === undefined) return null;
  if (first.kind !== 'text') {
    place.part += 1;
    return first;
  }
  const texts: string[] = [];
  for (let left = textLengthMax; left > 1; ) {
    const part = parts[place.part];
    if (part?.kind !== 'text') break;
    const piece = wholePairs(part.text, place.unit + left).slice(place.unit);
    texts.push(piece);
    left -= piece.length;
    place.unit += piece.length;
    if (place.unit < part.text.length) break;
    place.part += 1;
    place.unit = 0;
  }
  return { kind: 'text', text: texts.join('') };
}
