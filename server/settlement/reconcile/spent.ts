import type { Mined } from '../../chain/chain-view.ts';
import { hidesLogs } from '../../chain/find-spender.ts';
import { isInBlock } from '../../chain/receipts.ts';
import { pinEndpoint } from '../../chain/rpc.ts';
import { findMined } from '../../relayer/nonce.ts';
import type { PaymentRecord } from '../../store/store.ts';
import { undecidedFailure } from '../../types/payment-states.ts';
import type { Bytes32 } from '../../types/units.ts';
import { isPaidBy, toExpectedPayment } from './decide.ts';
import type { ReadPorts } from './read-verdict.ts';
import { refuse, settlePaid, type WritePorts } from './write.ts';

type SpentPorts = Pick<ReadPorts, 'rpc' | 'receipts'> & Pick<WritePorts, 'store'>;

/**
 * Why no log names the spender of a payment. `hidden`: our transaction may have made it, unseen. `handed-over`: a
 * facilitator had the payment, and its response was lost or named no transaction.
 */
type OwnTrace =
  | { readonly kind: 'paid'; readonly mined: Mined }
  | { readonly kind: 'hidden'; readonly txHash: Bytes32; readonly withoutLogs: Mined | null }
  | { readonly kind: 'handed-over' }
  | { readonly kind: 'foreign' };

/**
 * Decides whether a transaction of ours may have spent a payment whose spender no log names (D-207). A missing
 * receipt proves nothing while the node shows no other receipts, or has the transaction in a block. Missing logs prove
 * nothing if the block of our transaction spent the payment.
 */
export async function traceOwn(payment: PaymentRecord, ports: SpentPorts): Promise<OwnTrace> {
  const { store, rpc, receipts } = ports;
  const { transactions, isHandedOver } = await store.findSent(payment.id);
  const notOurs = { kind: isHandedOver ? 'handed-over' : 'foreign' } as const;
  if (transactions.length === 0) return notOurs;
  // Read first: a receipt of ours that is missing after another one was shown does not exist.
  const areShown = await receipts.areShown();
  let hidden: Extract<OwnTrace, { kind: 'hidden' }> | null = null;
  for (const txHash of transactions) {
    let isShown = false;
    for (const which of [0, 1] as const) {
      const endpoint = pinEndpoint(rpc, which);
      const mined = await findMined(endpoint, [{ hash: txHash }]);
      if (mined.ok && mined.value !== null) {
        if (isPaidBy(payment, mined.value)) return { kind: 'paid', mined: mined.value };
        const isWithoutLogs = await hidesLogs(endpoint, toExpectedPayment(payment), mined.value.block);
        if (isWithoutLogs) hidden ??= { kind: 'hidden', txHash, withoutLogs: mined.value };
        else isShown = true;
        continue;
      }
      const included = mined.ok ? await isInBlock(endpoint, txHash) : mined;
      if (!included.ok || included.value || !areShown)
        hidden ??= { kind: 'hidden', txHash, withoutLogs: null };
    }
    if (isShown && hidden?.txHash === txHash) hidden = null;
  }
  return hidden ?? notOurs;
}

/**
 * Concludes a payment that was spent, and whose spender no log names. Settles it if a transaction of ours made
 * it. Lets it wait without debt while one of ours or of the facilitator may have made it; the maintenance loop settles it
 * later. Else refuses it.
 */
export async function concludeSpent(payment: PaymentRecord, ports: SpentPorts & WritePorts): Promise<void> {
  const { log, receipts } = ports;
  const trace = await traceOwn(payment, ports);
  switch (trace.kind) {
    case 'paid':
      await settlePaid([payment], trace.mined, ports);
      return;
    case 'foreign':
      return refuse(payment.id, 'authorization_used', ports);
    case 'hidden':
      markHidden(payment, trace, receipts);
      log.warn(
        { payment: payment.id, txHash: trace.txHash },
        'The node does not show whether our transaction made a payment. The payment waits until the node shows it.',
      );
      return letWait(payment.id, ports);
    case 'handed-over': {
      const { from, to, value, nonce } = payment.authorization;
      log.warn(
        { payment: payment.id, payer: from, payTo: to, amount: String(value), nonce },
        'A payment that the facilitator had was charged, and the node shows no transaction of it. The payment waits until the node shows one. If the facilitator did not settle it, pay the tokens back.',
      );
      return letWait(payment.id, ports);
    }
  }
}

async function letWait(
  id: number,
  { store, announce }: Pick<WritePorts, 'store' | 'announce'>,
): Promise<void> {
  await store.fail(id, undecidedFailure, null);
  announce(id, { state: 'unknown' });
}

/** Reports a node without receipts as soon as it hides the fate of a payment. */
export async function noticeHidden(payments: readonly PaymentRecord[], ports: SpentPorts): Promise<void> {
  const [payment] = payments;
  if (payment === undefined) return;
  const trace = await traceOwn(payment, ports);
  if (trace.kind === 'hidden') markHidden(payment, trace, ports.receipts);
}

/** Reports the node that hides whether a transaction of ours made a payment. */
export function markHidden(
  payment: PaymentRecord,
  { txHash, withoutLogs }: Extract<OwnTrace, { kind: 'hidden' }>,
  receipts: SpentPorts['receipts'],
): void {
  if (withoutLogs === null) receipts.markMissing(txHash);
  else receipts.markWithoutLogs(withoutLogs, toExpectedPayment(payment));
}
