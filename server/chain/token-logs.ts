import type { Address, AtomicAmount, Bytes32 } from '../types/units.ts';
import { addressWord, bytes32Word, uint256Word, type Word } from './word.ts';

/** A log as `eth_getTransactionReceipt` lists it, in the order in which it was emitted. */
export type ReceiptLog = {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  /** Set when the block that held it was reorganised away. */
  readonly removed?: boolean;
};

/** The one movement of tokens that counts as the payment: these five, nothing near them. */
export type ExpectedPayment = {
  readonly asset: Address;
  readonly from: Address;
  readonly to: Address;
  readonly value: AtomicAmount;
  readonly nonce: Bytes32;
};

/**
 * What one transaction did to a payment's nonce.
 * - `paid`: the nonce was used and the value moved from the payer to the recipient with it.
 * - `used-otherwise`: the payer spent the nonce on another recipient or value; this payment can no longer happen.
 * - `canceled`: the payer took the nonce back (EIP-3009 `cancelAuthorization`); neither can it then.
 * - `absent`: the transaction did not touch the nonce. A settlement that ran out of gas looks like this while its
 *   receipt says success, which is why a receipt's status is never asked.
 */
export type PaymentTrace = 'paid' | 'used-otherwise' | 'canceled' | 'absent';

/**
 * Decides from a receipt's logs whether exactly this payment was made: `AuthorizationUsed(from, nonce)` by the asset,
 * and its next `Transfer` is `Transfer(from, to, value)`. The two are taken as a pair, in the order in which
 * EIP-3009's reference code, FiatToken and OpenZeppelin emit them: in one batch a payer may settle twice at the same
 * price, or place a plain transfer beside a nonce spent elsewhere, and one transfer must never count for two nonces.
 */
export function tracePayment(logs: readonly ReceiptLog[], payment: ExpectedPayment): PaymentTrace {
  const assetLogs = logs.filter((log) => !log.removed && log.address.toLowerCase() === payment.asset);
  const nonceTopics = [addressWord(payment.from), bytes32Word(payment.nonce)];
  const used = assetLogs.findIndex((log) => isEvent(log, topic.authorizationUsed, nonceTopics));
  if (used === -1) {
    return assetLogs.some((log) => isEvent(log, topic.authorizationCanceled, nonceTopics))
      ? 'canceled'
      : 'absent';
  }
  const transfer = assetLogs.slice(used + 1).find((log) => log.topics[0]?.toLowerCase() === topic.transfer);
  const parties = [addressWord(payment.from), addressWord(payment.to)];
  const isPaid =
    transfer !== undefined &&
    isEvent(transfer, topic.transfer, parties) &&
    transfer.data.toLowerCase() === `0x${uint256Word(payment.value)}`;
  return isPaid ? 'paid' : 'used-otherwise';
}

function isEvent(log: ReceiptLog, signature: string, indexed: readonly Word[]): boolean {
  const expected = [signature, ...indexed.map((word) => `0x${word}`)];
  return (
    log.topics.length === expected.length &&
    log.topics.every((logged, index) => logged.toLowerCase() === expected[index])
  );
}

/** The hash of each event's signature; the tests compute them again. */
export const topic = {
  transfer: '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
  authorizationUsed: '0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5',
  authorizationCanceled: '0x1cdd46ff242716cdaa72d159d339a485b3438398348d68f09d7c8c0a59353d81',
} as const;
