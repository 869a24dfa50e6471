import { type Address, type AtomicAmount, type Bytes32, parseAddress, parseBytes32 } from '../types/units.ts';
import { addressWord, bytes32Word, uint256Word, type Word } from './word.ts';

/** A log of `eth_getTransactionReceipt`, in the order in which the contracts emitted the logs. */
export type ReceiptLog = {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  /** Set when a reorganisation removed the block of the log. */
  readonly removed?: boolean;
};

/** Whether a node's value is a log. */
export function isLog(value: unknown): value is ReceiptLog {
  if (typeof value !== 'object' || value === null) return false;
  const { address, topics, data }: Partial<Record<keyof ReceiptLog, unknown>> = value;
  const hasTopics = Array.isArray(topics) && topics.every((each) => typeof each === 'string');
  return typeof address === 'string' && hasTopics && typeof data === 'string';
}

/** The transfer that counts as the payment. All five fields must match. */
export type ExpectedPayment = {
  readonly asset: Address;
  readonly from: Address;
  readonly to: Address;
  readonly value: AtomicAmount;
  readonly nonce: Bytes32;
};

/**
 * The effect of one transaction on a payment's nonce.
 * - `paid`: the transaction used the nonce, and moved the value from the payer to the recipient with it.
 * - `used-otherwise`: the payer spent the nonce on another recipient or value; this payment can no longer happen.
 * - `canceled`: the payer cancelled the nonce (EIP-3009 `cancelAuthorization`); this payment can no longer happen.
 * - `absent`: the transaction did not touch the nonce. A settlement call that ran out of gas looks like this in a
 *   successful receipt, so the gateway never uses a receipt's status.
 */
export type PaymentTrace = 'paid' | 'used-otherwise' | 'canceled' | 'absent';

/**
 * Decides from a receipt's logs whether exactly this payment was made: the asset emits `AuthorizationUsed(from,
 * nonce)`, and its next `Transfer` is `Transfer(from, to, value)`. EIP-3009's reference code, FiatToken and
 * OpenZeppelin emit the pair in this order. The pairing keeps one transfer from counting for two nonces: a
 * payer may settle twice at one price in a batch, or place a plain transfer beside a nonce spent elsewhere.
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

/** A transfer to a recipient. */
export type ReceivedTransfer = {
  readonly from: Address;
  readonly value: bigint;
  /** The authorization that made the transfer; null for a transfer without one. */
  readonly authorization: { readonly payer: Address; readonly nonce: Bytes32 } | null;
};

/**
 * Lists the transfers of one transaction to a recipient. An authorization makes the next transfer after it, as in
 * `tracePayment`.
 */
export function listReceived(
  logs: readonly ReceiptLog[],
  asset: Address,
  recipient: Address,
): readonly ReceivedTransfer[] {
  const received: ReceivedTransfer[] = [];
  let authorization: ReceivedTransfer['authorization'] = null;
  for (const { address, topics, data, removed } of logs) {
    if (removed || address.toLowerCase() !== asset) continue;
    const [event, first, second] = topics;
    const [one, other] = [parseAddressTopic(first), parseAddressTopic(second)];
    if (event?.toLowerCase() === topic.authorizationUsed) {
      const nonce = parseBytes32(second ?? '');
      authorization = one && nonce && { payer: one, nonce };
    } else if (event?.toLowerCase() === topic.transfer) {
      if (one !== null && other === recipient && /^0x[0-9a-f]{1,64}$/i.test(data))
        received.push({ from: one, value: BigInt(data), authorization });
      authorization = null;
    }
  }
  return received;
}

/** Decodes an address in a topic: its last 20 bytes. */
function parseAddressTopic(word: string | undefined): Address | null {
  return parseAddress(`0x${word?.slice(-40)}`);
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
