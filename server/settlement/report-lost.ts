import type { Log } from '../observe/log.ts';
import type { Relayer } from '../relayer/nonce.ts';
import type { ReceiptWatch } from './receipt-watch.ts';

type LostPorts = {
  readonly relayer: Pick<Relayer, 'address'>;
  readonly log: Log;
  readonly receipts: Pick<ReceiptWatch, 'areShown'>;
};

/** Logs a used relayer nonce without a receipt of ours. Without other receipts, no foreign transaction is blamed. */
export async function reportLost(
  { relayerNonce }: { readonly relayerNonce: number },
  { relayer, log, receipts }: LostPorts,
): Promise<void> {
  const sentence = (await receipts.areShown())
    ? 'A foreign transaction used a relayer nonce. Give this relayer key to one gateway only.'
    : 'A relayer nonce is used, and the node shows no receipts. The gateway searches the logs for its payments.';
  log.warn({ relayer: relayer.address, nonce: relayerNonce }, sentence);
}
