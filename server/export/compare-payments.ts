import { type Mined, readMined } from '../chain/chain-view.ts';
import type { Rpc, RpcFault } from '../chain/rpc.ts';
import { tracePayment } from '../chain/token-logs.ts';
import type { StoredPayment } from '../store/reader.ts';
import { ok, type Result } from '../types/result.ts';
import type { Bytes32 } from '../types/units.ts';
import { isCharged } from './rows.ts';

/** Calls at the same time: those that the client of a node keeps connections for. */
const callsMax = 16;

/**
 * Finds the transfer of each charged payment on the chain. Returns for each id the difference as a sentence, or null if
 * the chain shows the transfer. Payments of one transaction share one call.
 */
export async function comparePayments(
  rpc: Rpc,
  payments: readonly StoredPayment[],
): Promise<Result<ReadonlyMap<number, string | null>, RpcFault>> {
  const charged = payments.filter(isCharged);
  const mined = await readAllMined(rpc, charged);
  if (!mined.ok) return mined;
  return ok(new Map(charged.map((payment) => [payment.id, findDifference(payment, mined.value)])));
}

async function readAllMined(
  rpc: Rpc,
  payments: readonly StoredPayment[],
): Promise<Result<ReadonlyMap<Bytes32, Mined | null>, RpcFault>> {
  const hashes = [...new Set(payments.map(({ txHash }) => txHash))].filter((hash) => hash !== null);
  const found = new Map<Bytes32, Mined | null>();
  for (let at = 0; at < hashes.length; at += callsMax) {
    const some = hashes.slice(at, at + callsMax);
    const read = await Promise.all(some.map((hash) => readMined(rpc, hash)));
    for (const [index, each] of read.entries()) {
      if (!each.ok) return each;
      const hash = some[index];
      if (hash !== undefined) found.set(hash, each.value);
    }
  }
  return ok(found);
}

function findDifference(payment: StoredPayment, mined: ReadonlyMap<Bytes32, Mined | null>): string | null {
  const { id, state, asset, authorization, txHash } = payment;
  const { from, to, value, nonce } = authorization;
  const start = `payment ${id} is ${state}, and`;
  if (txHash === null) return `${start} the store names no transaction`;
  const transaction = mined.get(txHash) ?? null;
  if (transaction === null) return `${start} the chain shows no transaction ${txHash}`;
  const trace = tracePayment(transaction.logs, { asset, from, to, value, nonce });
  return trace === 'paid'
    ? null
    : `${start} the transaction ${txHash} has no transfer of ${value} from ${from} for it`;
}
