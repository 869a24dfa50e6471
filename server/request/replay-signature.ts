import type { Exchange } from '../http/contract.ts';
import type { PaymentRecord } from '../store/store.ts';
import { shareWork } from './deliver-run.ts';
import { isForRequest } from './fingerprint.ts';
import type { Outcome } from './outcome.ts';
import { formatKey, type PaidPorts, type PricedRequest } from './paid-request.ts';
import { noteDelivery, replayCharged } from './replay-charged.ts';
import { serveOwed } from './serve-owed.ts';

/**
 * Replays a payment whose signature the gateway accepted under an earlier name of the token (D-229), or from a contract
 * wallet (D-293). Null if the store has no charge for this payment and this request.
 */
export async function replaySignature(
  known: PaymentRecord | null,
  request: PricedRequest,
  exchange: Exchange,
  ports: PaidPorts,
): Promise<Outcome | null> {
  if (known === null || !known.isOwed || !isForRequest(known, request))
    return replayCharged(known, request, exchange, ports);
  const { left } = exchange.watchClient();
  const place = { key: formatKey(known.authorization), left, isBought: () => Promise.resolve(true) };
  const work = await shareWork(request, place, () => serveOwed(request, known, ports), ports);
  if (work === null) return null;
  const { result } = work;
  const { settlementType } = request;
  if (result.kind === 'paid' || result.kind === 'streaming')
    void noteDelivery({ paymentId: result.paymentId, settlementType }, exchange, ports);
  return result;
}
