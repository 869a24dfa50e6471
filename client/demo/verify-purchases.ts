import type { SavedExchange } from '@paid-inference/contract/types';
import { verifyExchange } from '../verify/verify-exchange.ts';
import type { ReadyEvent } from './gateway-process.ts';
import type { Narrator } from './narrator.ts';

/** The gateway records a batch after one second. The wait allows for a very busy machine. */
const waitSeconds = 30;

/**
 * Verifies the saved purchases with the two chains: the first one step by step, the others in one line each.
 * Rejects when a step is not true.
 */
export async function verifyPurchases(
  bought: readonly SavedExchange[],
  { chain, proofLedger, token }: ReadyEvent,
  narrator: Narrator,
  signal: AbortSignal,
): Promise<void> {
  narrator.chapter('Verify the proofs with request, response and the two chains');
  for (const [index, exchange] of bought.entries()) {
    const { steps } = await verifyExchange(exchange, {
      ledgerRpcUrl: proofLedger.rpcUrl,
      chainRpcUrl: chain.rpcUrl,
      ledger: proofLedger.contract,
      token: token.address,
      waitSeconds,
      signal,
    });
    signal.throwIfAborted();
    for (const { step, verdict, sentence } of steps) {
      if (verdict !== 'true')
        throw new Error(`Purchase ${index + 1} does not verify at ${step}: ${sentence}`);
      if (index === 0) narrator.fact(`${step.padEnd('attestation'.length)}  ${sentence}`);
    }
    if (index > 0) narrator.fact(`purchase ${index + 1}: ${steps.map(({ step }) => step).join(', ')}`);
  }
}
