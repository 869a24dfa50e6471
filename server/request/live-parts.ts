import type { Inference, InferenceDelta } from '../inference/engine.ts';
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
  /** Yields the parts, those of one turn together, and returns the end. Throws `StreamBroken`. */
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

export function createLiveParts(): LiveParts {
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
      for (let read = 0; ; ) {
        if (read < parts.length) {
          const next = joinTexts(parts.slice(read));
          read = parts.length;
          yield* next;
        } else if (ended !== null) return ended;
        else if (state === 'broken')
          throw new StreamBroken('The completion ended early. The same payment gets it whole.');
        else await changed.promise;
      }
    },
  };
}

/** Joins texts that follow each other, so that a reader that is late gets one part. */
function joinTexts(parts: readonly InferenceDelta[]): readonly InferenceDelta[] {
  const joined: InferenceDelta[] = [];
  let texts: string[] = [];
  const end = () => {
    if (texts.length > 0) joined.push({ kind: 'text', text: texts.join('') });
    texts = [];
  };
  for (const part of parts) {
    if (part.kind === 'text') texts.push(part.text);
    else {
      end();
      joined.push(part);
    }
  }
  end();
  return joined;
}
