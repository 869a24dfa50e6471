import { type Head, type Mined, readHead } from '../../chain/chain-view.ts';
import type { CheckTransfer } from '../../chain/check-transfer.ts';
import { findSpender } from '../../chain/find-spender.ts';
import type { Rpc, RpcFault } from '../../chain/rpc.ts';
import type { PaymentToken } from '../../chain/token.ts';
import type { PaymentRecord } from '../../store/store.ts';
import type { Result } from '../../types/result.ts';
import type { ReceiptWatch } from '../receipt-watch.ts';
import type { IsOurs } from './attribution.ts';
import { type ChainView, decide, type Needed, toExpectedPayment, type Verdict } from './decide.ts';

export type ReadPorts = {
  readonly rpc: Rpc;
  readonly token: PaymentToken;
  readonly checkTransfer: CheckTransfer;
  readonly isOurs: IsOurs;
  readonly receipts: ReceiptWatch;
  readonly logBlocksMax: number;
};

/**
 * Reads as much of the chain as `decide` needs. A node that has not reached `seenBlock` is unknown. Only a
 * verdict from logs `isCertain`. The others depend on missing data, and a replica that lags misses much. `known` is the head
 * of the chain, if it was read just now.
 */
export async function readVerdict(
  payment: PaymentRecord,
  ports: ReadPorts,
  seenBlock: number,
  known?: Result<Head, RpcFault>,
): Promise<Verdict> {
  const head = known ?? (await readHead(ports.rpc));
  if (!head.ok || head.value.block < seenBlock) return { kind: 'unknown' };
  return readFrom(payment, { seconds: head.value.seconds }, ports);
}

/** Reads the verdict of a payment whose spending transaction is known. */
export function readVerdictOfSpent(
  payment: PaymentRecord,
  spender: Mined,
  ports: ReadPorts,
): Promise<Verdict> {
  return readFrom(payment, { seconds: 0n, spender }, ports);
}

async function readFrom(payment: PaymentRecord, known: ChainView, ports: ReadPorts): Promise<Verdict> {
  let view = known;
  for (;;) {
    const decided = decide(payment, view);
    if (decided.kind !== 'read') return decided;
    const more = await read(decided.what, payment, view, ports);
    if (more === null) return { kind: 'unknown' };
    view = { ...view, ...more };
  }
}

/** Null where the node does not respond. */
async function read(
  what: Needed['what'],
  payment: PaymentRecord,
  { spender }: ChainView,
  ports: ReadPorts,
): Promise<Partial<ChainView> | null> {
  switch (what) {
    case 'spender': {
      const found = await findSpender(ports.rpc, ports.token, toExpectedPayment(payment), ports.logBlocksMax);
      return found.ok ? { spender: found.value } : null;
    }
    case 'isOurs':
      return spender && spender !== 'unseen' ? { isOurs: await ports.isOurs(payment, spender) } : null;
    case 'balance': {
      const balance = await ports.token.balanceOf(payment.authorization.from);
      return balance.ok ? { balance: balance.value } : null;
    }
    case 'transfer':
      return { transfer: await ports.checkTransfer(payment.authorization, payment.signature) };
  }
}
