import { createPayingFetch } from '../create-paying-fetch.ts';
import { type PayerOptions, PaymentOutcomeUnknown } from '../pay.ts';
import type { Journal } from '../payment/journal.ts';
import type { Refusal } from '../payment/rules.ts';
import type { Step } from '../payment/step.ts';
import { refusedByRules, translateResponse, unreached } from './error.ts';
import { holdPayment } from './held-journal.ts';
import { type Recording, record } from './recording.ts';

/** A request of a tool, as the gateway gets it. */
export type Order = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer>;
  /** Equal for two requests that buy the same. */
  readonly key: string;
  /** The tool says that it sends the request again. */
  readonly isRetry: boolean;
  /** The model that the body names, for the report. */
  readonly model: string;
};

/** One purchase, which runs to its end also when its tool leaves. */
export type Purchase = {
  readonly recording: Promise<Recording>;
  /** Resolves when the whole response is there, to whether it can serve an equal request. Never rejects. */
  readonly ended: Promise<boolean>;
  /** The number of connections that wait for the response or read it. Without one, nothing is signed. */
  readers: number;
  /** A tool has the whole response. */
  isDelivered: boolean;
  /** The tool has the whole response (`closed`), or an equal request gets it by the same payment (`open`). */
  release(as: 'open' | 'closed'): void;
};

export type PurchasePorts = Omit<PayerOptions, 'journal' | 'onExchange'> & {
  readonly journal: Journal;
  /** Ends all purchases. Their payments stay open. */
  readonly signal: AbortSignal;
};

/** Buys one completion. The proxy's errors are responses in the form of OpenAI's. */
export function startPurchase(
  { url, headers, body }: Order,
  { signal, ...ports }: PurchasePorts,
  onStep: (step: Step) => void,
): Purchase {
  const held = holdPayment(ports.journal);
  /** A journal that fails here must end neither the response nor the proxy. The payment stays open. */
  const release = (as: 'open' | 'closed') => {
    try {
      held.release(as);
    } catch (error) {
      onStep({ step: 'journal-fault', message: describe(error) });
    }
  };
  let refusal: Refusal | null = null;
  const fetch = createPayingFetch({
    ...ports,
    journal: held.journal,
    signer: {
      getAddress: () => ports.signer.getAddress(),
      async signTypedData(...given) {
        if (purchase.readers === 0) throw new Error('the tool has left');
        return ports.signer.signTypedData(...given);
      },
    },
    onStep(step) {
      if (step.step === 'refused') refusal = step.refusal;
      onStep(step);
    },
  });

  async function buy(): Promise<Response> {
    try {
      const response = await fetch(url, { method: 'POST', headers, body, signal });
      return refusal === null ? await translateResponse(response) : refusedByRules(refusal);
    } catch (error) {
      if (error instanceof PaymentOutcomeUnknown) {
        return unreached(
          `No response of the gateway. The payment with nonce ${error.authorization.nonce} may have been settled. Send the same request again: the proxy sends the same payment.`,
        );
      }
      return unreached(`No response of the gateway: ${describe(error)}. Nothing was paid.`);
    }
  }

  const recording = buy().then(record);
  const purchase: Purchase = {
    recording,
    ended: recording.then(async ({ status, ended }) => {
      const isWhole = await ended;
      const isCompletion = isWhole && status === 200;
      // Nothing buys more with a payment that the gateway has refused.
      if (!isCompletion) release(isWhole ? 'closed' : 'open');
      return isCompletion;
    }),
    readers: 0,
    isDelivered: false,
    release,
  };
  return purchase;
}

/** The reason that `fetch` hides behind "fetch failed". */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? describe(error.cause) : error.message || error.name;
}
