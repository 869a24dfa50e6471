import { broadcast, replace } from '../relayer/nonce.ts';
import type { RelayerLease } from '../store/relayer-lease.ts';
import type { JournaledTransaction, OpenNonce, PaymentRecord } from '../store/store.ts';
import { markedCall, settlementCall } from './call.ts';
import { listIds } from './reconcile/reconcile.ts';
import type { Ports, State } from './worker-state.ts';

// The steps of one relayer nonce in store and chain: read, send, replace, close, drop.

/** Reads the open nonces, without the one that the store is closing now. */
export async function readOpen({ store, relayer, state }: Ports): Promise<readonly OpenNonce[]> {
  const ended = state.ending?.relayerNonce;
  const [open] = await Promise.all([store.openNonces(relayer.address), endNonce(state)]);
  return open.filter(({ relayerNonce }) => relayerNonce !== ended);
}

/** Waits until the store has closed the last nonce. Throws the error of the store. */
export async function endNonce(state: State): Promise<void> {
  const { ending } = state;
  state.ending = null;
  await ending?.done;
}

/** Sends the transaction. Returns false when nodes reject it for lack of ether; else it may be followed. */
export async function send(
  newest: JournaledTransaction,
  { rpc, relayer, log, state }: Ports,
): Promise<boolean> {
  const sent = await broadcast(rpc, newest);
  state.lacksEther = !sent.ok && /insufficient funds/i.test(sent.fault.message);
  state.blockedReason = sent.ok
    ? null
    : `the RPC endpoint rejected a settlement transaction: ${sent.fault.message}`;
  if (!sent.ok)
    log.warn(
      { relayer: relayer.address, nonce: newest.relayerNonce, fault: sent.fault },
      'The RPC endpoint rejected a settlement transaction.',
    );
  return !state.lacksEther;
}

/** Signs the nonce again at higher fees, for its open payments. The store records the new transaction (D-191). */
export async function bump(
  lease: RelayerLease,
  newest: JournaledTransaction,
  payments: readonly PaymentRecord[],
  ports: Ports,
): Promise<JournaledTransaction | null> {
  const { rpc, store, relayer, fees, log } = ports;
  if (payments.length === 0) return null;
  const replacement = await replace(relayer, newest, rpc, fees, markedCall(settlementCall(payments)));
  if (!replacement) return null;
  log.warn(
    { relayer: relayer.address, nonce: replacement.relayerNonce },
    'A settlement transaction is not mined. It is sent again at a higher fee.',
  );
  await store.submit(lease, listIds(payments), replacement);
  await send(replacement, ports);
  ports.state.stuckReason = `settlements are not mined: the transaction with nonce ${replacement.relayerNonce} of relayer ${relayer.address} was replaced at higher fees. Check the chain and its fees`;
  return replacement;
}

/**
 * Starts to close the nonce, unless the relayer worker closes before all of its payments are concluded. The next
 * step waits for the store.
 */
export async function close(
  lease: RelayerLease,
  { relayerNonce }: OpenNonce,
  ports: Ports,
): Promise<boolean> {
  ports.state.blockedReason = null;
  if (ports.closing.aborted) return false;
  const done = ports.store.closeNonce(lease, relayerNonce);
  done.catch(() => undefined);
  ports.state.ending = { relayerNonce, done };
  return true;
}

/**
 * Drops a nonce whose transactions will not be mined: after a wrong count, a reorganisation, or without
 * payments. Its payments get the nonce that the chain waits for, because filling a gap would cost gas.
 */
export async function abandon(
  lease: RelayerLease,
  { relayerNonce }: OpenNonce,
  ports: Ports,
): Promise<boolean> {
  ports.state.blockedReason = null;
  await ports.store.abandonNonce(lease, relayerNonce);
  return true;
}
