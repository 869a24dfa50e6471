import { endpoints } from '@paid-inference/contract/constants';
import { errorTable } from '@paid-inference/contract/errors';
import type { EndedRequest, RequestObserver } from '../observe/observers.ts';
import { paymentMissing } from '../request/quote.ts';
import type { Instruments } from './instruments.ts';

export type ObservedRequests = {
  readonly observer: RequestObserver;
  /** Passes the counts to the instruments. Call it before a scrape. */
  flush(): void;
};

const soldPaths: ReadonlySet<string | null> = new Set([
  endpoints.createChatCompletion.path,
  endpoints.createCompletion.path,
]);
/** Clients may send any method. */
const knownMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'OPTIONS']);
const otherMethod = '_OTHER';
/** The reasons of refusals that the gateway itself gives. */
const ownReasons = [
  ...['invalid_payload', 'invalid_exact_evm_nonce_already_used', 'invalid_transaction_state'],
  ...['payment_expired', 'authorization_canceled', 'authorization_used'],
  'invalid_exact_evm_payload_recipient_mismatch',
  'invalid_exact_evm_payload_authorization_value',
  'invalid_exact_evm_payload_authorization_valid_after',
  'invalid_exact_evm_payload_authorization_valid_before',
  'invalid_exact_evm_payload_undeployed_smart_wallet',
];
const knownOutcomes: ReadonlySet<string> = new Set([...Object.keys(errorTable), ...ownReasons]);
/** A facilitator may send any text as its reason. */
const otherOutcome = 'other';
/** The most purchases without a receipt that are remembered. */
const pendingMax = 10_000;

/**
 * Counts requests and sales. A request without a payment costs only look-ups in maps here, because its client pays
 * nothing for it (D-300).
 */
export function observeRequests(instruments: Instruments): ObservedRequests {
  const durations = remember((route: string | null) =>
    remember((method: string) =>
      remember((status: number) =>
        instruments.http_server_request_duration_seconds.series({
          http_request_method: method,
          http_route: route ?? '',
          http_response_status_code: status,
        }),
      ),
    ),
  );
  const counts: Count[] = [];
  const outcomes = remember((model: string) =>
    remember((outcome: string) => {
      const count = { model, outcome, requests: 0 };
      counts.push(count);
      return count;
    }),
  );
  const noteIncome = countIncome(instruments);
  let active = 0;
  return {
    observer: {
      began() {
        active += 1;
      },
      ended(request, route) {
        const { method, status, ms, model = '' } = request;
        active -= 1;
        durations(route)(knownMethods.has(method) ? method : otherMethod)(status)(ms / 1_000);
        if (!soldPaths.has(route)) return;
        outcomes(model)(nameOutcome(request)).requests += 1;
        if (request.payer !== undefined) noteIncome(request);
      },
    },
    flush() {
      instruments.http_server_active_requests.set(active);
      for (const count of counts) {
        const { model, outcome, requests } = count;
        instruments.paid_inference_requests_total.inc({ model, outcome }, requests);
        count.requests = 0;
      }
    },
  };
}

/** The requests with one outcome since the last scrape. */
type Count = { readonly model: string; readonly outcome: string; requests: number };

function nameOutcome({ transaction, replayed, code, reason }: EndedRequest): string {
  if (reason === paymentMissing) return 'offer';
  if (transaction !== undefined) return replayed ? 'replayed' : 'sold';
  const outcome = code ?? reason ?? otherOutcome;
  return knownOutcomes.has(outcome) ? outcome : otherOutcome;
}

/**
 * Counts the price of each purchase once. A settlement may take longer than its request. Then the purchase counts when
 * its payer comes again and gets the receipt.
 */
function countIncome({ paid_inference_income_total: income }: Instruments): (request: EndedRequest) => void {
  const pending = new Set<string>();
  return ({ model = '', payer, price, transaction, replayed, code }) => {
    const purchase = `${payer} ${model} ${price}`;
    if (code === 'settlement_pending') {
      const [oldest] = pending.size < pendingMax ? [] : pending;
      if (oldest !== undefined) pending.delete(oldest);
      pending.add(purchase);
    }
    if (transaction === undefined) return;
    const wasPending = pending.delete(purchase);
    if (!replayed || wasPending) income.inc({ model }, Number(price));
  };
}

/** Remembers what `make` returns for each key. */
function remember<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const made = make(key);
    known.set(key, made);
    return made;
  };
}
