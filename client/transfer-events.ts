import type { PaymentAuthorization } from '@paid-inference/contract/types';
import { Interface, type Log, type LogDescription } from 'ethers';

const events = new Interface([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
]);

/** The events of a transaction for one authorization. */
export type Transfers = {
  /** Contracts whose event says that the nonce is used, in lower case. */
  readonly usedAt: readonly string[];
  /** Those of these contracts that also moved the value from payer to recipient. */
  readonly movedAt: readonly string[];
};

/**
 * Reads the outcome of an authorization from the logs of a transaction. Only the logs have it: a batch succeeds
 * as a whole even when one of its transfers ran out of gas. The caller must know which contract is the token.
 * @see https://eips.ethereum.org/EIPS/eip-3009
 */
export function readTransfers(
  logs: readonly Log[],
  { from, to, value, nonce }: Pick<PaymentAuthorization, 'from' | 'to' | 'value' | 'nonce'>,
): Transfers {
  const seen = logs.flatMap((log) => {
    const event = parse(log);
    return event === null ? [] : [{ address: log.address.toLowerCase(), event }];
  });
  const addresses = (fits: (event: LogDescription) => boolean) =>
    new Set(seen.filter(({ event }) => fits(event)).map(({ address }) => address));
  const used = addresses(
    ({ name, args }) =>
      name === 'AuthorizationUsed' && isSame(args['authorizer'], from) && isSame(args['nonce'], nonce),
  );
  const moved = addresses(
    ({ name, args }) =>
      name === 'Transfer' &&
      isSame(args['from'], from) &&
      isSame(args['to'], to) &&
      args['value'] === BigInt(value),
  );
  return { usedAt: [...used], movedAt: [...used].filter((address) => moved.has(address)) };
}

/**
 * Returns null for other events. An NFT's `Transfer` has the same first topic and one topic more, and does not
 * parse.
 */
function parse(log: Log): LogDescription | null {
  try {
    return events.parseLog(log);
  } catch {
    return null;
  }
}

function isSame(one: unknown, other: string): boolean {
  return String(one).toLowerCase() === other.toLowerCase();
}
