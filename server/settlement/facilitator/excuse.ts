import { quantity } from '../../chain/chain-view.ts';
import type { Rpc } from '../../chain/rpc.ts';
import type { PaymentToken } from '../../chain/token.ts';
import { isLog, listReceived, topic } from '../../chain/token-logs.ts';
import { addressWord } from '../../chain/word.ts';
import type { PaymentRecord } from '../../store/store.ts';

/**
 * Returns whether the account of a payer, instead of the facilitator, may have made a transfer fail that passes now.
 * Its code may have done so. So may code that it had after block `since`, which would have changed its nonce. The
 * account may also have lacked tokens that it received after that block (D-175). False where the chain does not show it.
 */
export async function isExcused(
  payment: PaymentRecord,
  since: number | null,
  { rpc, token }: { readonly rpc: Rpc; readonly token: PaymentToken },
): Promise<boolean> {
  const { authorization, asset } = payment;
  const { from, value } = authorization;
  const readNonce = (block: string) => rpc.call<unknown>('eth_getTransactionCount', [from, block]);
  const code = rpc.call<unknown>('eth_getCode', [from, 'latest']).then((read) => {
    return read.ok && typeof read.value === 'string' && read.value.length > 2;
  });
  if (since === null) return code;
  const topics = [topic.transfer, null, `0x${addressWord(from)}`];
  const filter = { address: asset, fromBlock: quantity(since + 1), toBlock: 'latest', topics };
  const [hasCode, before, now, logs, balance] = await Promise.all([
    code,
    readNonce(quantity(since)),
    readNonce('latest'),
    rpc.call<unknown>('eth_getLogs', [filter]),
    token.balanceOf(from),
  ]);
  if (hasCode || (before.ok && now.ok && before.value !== now.value)) return true;
  if (!logs.ok || !Array.isArray(logs.value) || !balance.ok) return false;
  const received = listReceived(logs.value.filter(isLog), asset, from).reduce(
    (sum, transfer) => sum + transfer.value,
    0n,
  );
  return received > 0n && balance.value - received < value;
}
