import faults from './faults.json' with { type: 'json' };

/** A status that the proxy sends, no response, or a closed connection. */
type Fault = '503' | '500' | 'silence' | 'close';
/**
 * `before`: the payment does not reach the gateway. `during`: the gateway has the payment, and has not settled it.
 * `after`: the proxy has the whole response.
 */
type Moment = 'before' | 'during' | 'after';

/** A column of the table: what happens to the first payment of a purchase. */
export type FaultCase = {
  readonly name: string;
  /** Null if the proxy injects nothing. */
  readonly strike: { readonly fault: Fault; readonly moment: Moment } | null;
  /** The chain mines no blocks until the fault has happened. */
  readonly isChainStopped: boolean;
};

export const faultCases: readonly FaultCase[] = [
  { name: 'none', strike: null, isChainStopped: false },
  { name: '`settlement_pending`', strike: null, isChainStopped: true },
  ...(['503', '500', 'silence', 'close'] as const).flatMap((fault) =>
    (['before', 'during', 'after'] as const).map((moment) => ({
      name: `${fault} ${moment}`,
      strike: { fault, moment },
      isChainStopped: moment === 'during',
    })),
  ),
];

/** One purchase of a client in each case: payments and completions, such as `1, 1`, by the name of the case. */
export type PublishedFaults = {
  readonly client: string;
  /** The form of its payments, such as `x402 v1`. */
  readonly dialect: string;
  readonly cells: Readonly<Record<string, string>>;
};

export const publishedFaults: readonly PublishedFaults[] = faults;
