import { isInBlock } from '../../chain/receipts.ts';
import { pinEndpoint } from '../../chain/rpc.ts';
import { findMined } from '../../relayer/nonce.ts';
import type { PaymentRecord } from '../../store/store.ts';
import { undecidedFailure } from '../../types/payment-states.ts';
import type { Bytes32 } from '../../types/units.ts';
import { isPaidBy } from './decide.ts';
import type { ReadPorts } from './read-verdict.ts';
import { refuse, settlePaid, type WritePorts } from './write.ts';

type SpentPorts = Pick<ReadPorts, 'rpc' | 'receipts'> & Pick<WritePorts, 'store'>;

/** Why no log names the spender of a payment. `hidden`: our transaction may have made it, unseen. */
type OwnTrace =
  | { readonly kind: 'paid'; readonly mined: Parameters<typeof isPaidBy>[1] }
  | { readonly kind: 'hidden'; readonly txHash: Bytes32 }
  | { readonly kind: 'foreign' };

/**
 * Decides whether a transaction of ours may have spent a payment whose spender no log names (D-207). A missing
 * receipt proves nothing while the node shows no other receipts, or has the transaction in a block.
 */
export async function traceOwn(payment: PaymentRecord, ports: SpentPorts): Promise<OwnTrace> {
  const { store, rpc, receipts } = ports;
  const { transactions } = await store.findSent(payment.id);
  if (transactions.length === 0) return { kind: 'foreign' };
  // Read first: a receipt of ours that is missing after another one was shown does not exist.
  const areShown = await receipts.areShown();
  let hidden: Bytes32 | null = null;
  for (const txHash of transactions) {
    let isShown = false;
    for (const which of [0, 1] as const) {
      const endpoint = pinEndpoint(rpc, which);
      const mined = await findMined(endpoint, [{ hash: txHash }]);
      if (mined.ok && mined.value !== null) {
        if (isPaidBy(payment, mined.value)) return { kind: 'paid', mined: mined.value };
        isShown = true;
        continue;
      }
      const included = mined.ok ? await isInBlock(endpoint, txHash) : mined;
      if (!included.ok || included.value || !areShown) hidden ??= txHash;
    }
    if (isShown && hidden === txHash) hidden = null;
  }
  return hidden === null ? { kind: 'foreign' } : { kind: 'hidden', txHash: hidden };
}

/**
 * Concludes a payment that was spent, and whose spender no log names. Settles it if a transaction of ours made
 * it. Lets it wait without debt while one of ours may have made it; the maintenance loop settles it later. Else
 * refuses it.
 */
export async function concludeSpent(payment: PaymentRecord, ports: SpentPorts & WritePorts): Promise<void> {
  const { store, log, announce, receipts } = ports;
  const trace = await traceOwn(payment, ports);
  switch (trace.kind) {
    case 'paid':
      await settlePaid([payment], trace.mined, ports);
      return;
    case 'foreign':
      return refuse(payment.id, 'authorization_used', ports);
    case 'hidden':
      receipts.markMissing(trace.txHash);
      log.warn(
        { payment: payment.id, txHash: trace.txHash },
        'The node does not show whether our transaction made a payment. The payment waits until the node shows it.',
      );
      await store.fail(payment.id, undecidedFailure, null);
      announce(payment.id, { state: 'unknown' });
  }
}

/** Reports a node without receipts as soon as it hides the fate of a payment. */
export async function noticeHidden(payments: readonly PaymentRecord[], ports: SpentPorts): Promise<void> {
  const [payment] = payments;
  if (payment === undefined) return;
  const trace = await traceOwn(payment, ports);
  if (trace.kind === 'hidden') ports.receipts.markMissing(trace.txHash);
}
