import { chainId } from '@paid-inference/contract/constants';
import { encodePaymentReceipt } from '@paid-inference/contract/headers';
import type { PaymentReceipt } from '@paid-inference/contract/types';
import { makeReceipt } from '../payment/receipt.ts';
import type { StoredPayment } from '../store/reader.ts';
import { chargedStates, type PaymentState } from '../types/payment-states.ts';
import type { UnixSeconds } from '../types/units.ts';

/** What the chain shows of a charged payment; null where the payment was not charged, or not compared. */
export type OnChain = 'paid' | 'missing' | null;

/** A payment in the export. */
export type ExportedRow = ReturnType<typeof toRow>;

/** Names the members of a row. They are the columns of the CSV, in this order. */
export function toRow(payment: StoredPayment, onChain: OnChain) {
  const { id, state, asset, authorization, settlementType, createdAt, settledAt, failure, isOwed } = payment;
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  return {
    id,
    state,
    createdAt: formatTime(createdAt),
    settledAt: settledAt === null ? null : formatTime(settledAt),
    settlementType,
    chainId,
    asset,
    payer: from,
    payTo: to,
    amount: value.toString(),
    nonce,
    validAfter: validAfter.toString(),
    validBefore: validBefore.toString(),
    failure,
    isOwed,
    txHash: payment.txHash,
    block: payment.block,
    receipt: findReceipt(payment),
    onChain,
  };
}

export function isCharged({ state }: Pick<StoredPayment, 'state'>): boolean {
  const charged: readonly PaymentState[] = chargedStates;
  return charged.includes(state);
}

function findReceipt(payment: StoredPayment): PaymentReceipt | null {
  return isCharged(payment) && payment.txHash !== null ? makeReceipt(payment, payment.txHash) : null;
}

function formatTime(seconds: UnixSeconds): string {
  return new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z');
}

/** Writes rows as CSV (RFC 4180). The receipt is the header `X-PAYMENT-RESPONSE`. */
export async function* writeCsv(rows: AsyncIterable<ExportedRow>): AsyncGenerator<string, void> {
  yield formatLine(csvColumns);
  for await (const row of rows) {
    const receipt = row.receipt && encodePaymentReceipt(row.receipt);
    yield formatLine(csvColumns.map((column) => (column === 'receipt' ? receipt : row[column])));
  }
}

const csvColumns = [
  'id',
  'state',
  'createdAt',
  'settledAt',
  'settlementType',
  'chainId',
  'asset',
  'payer',
  'payTo',
  'amount',
  'nonce',
  'validAfter',
  'validBefore',
  'failure',
  'isOwed',
  'txHash',
  'block',
  'receipt',
  'onChain',
] as const satisfies readonly (keyof ExportedRow)[];

function formatLine(cells: readonly (string | number | boolean | null)[]): string {
  return `${cells.map(formatCell).join(',')}\r\n`;
}

function formatCell(cell: string | number | boolean | null): string {
  const text = String(cell ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Writes rows as one JSON array, with a row in each line. */
export async function* writeJson(rows: AsyncIterable<ExportedRow>): AsyncGenerator<string, void> {
  let before = '[\n';
  for await (const row of rows) {
    yield before + JSON.stringify(row);
    before = ',\n';
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}
