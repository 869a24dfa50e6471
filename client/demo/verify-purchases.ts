import type { SavedExchange } from '@paid-inference/contract/types';
import { verifyExchange } from '../verify/verify-exchange.ts';
import type { ReadyEvent } from './gateway-process.ts';
import type { Narrator } from './narrator.ts';

/** The gateway records a batch after a second; this is for a machine that is very busy. */
const waitSeconds = 30;

/**
 * Verifies what was bought, from what the client kept of it and from the two chains: the first purchase step by step,
 * the others in one line. Rejects when any step is not true.
 */
export async function verifyPurchases(
  bought: readonly SavedExchange[],
  { chain, proofLedger, token }: ReadyEvent,
  narrator: Narrator,
  signal: AbortSignal,
): Promise<void> {
  narrator.chapter('What ran, verified from request, answer and the two chains');
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
      if (verdict !== 'true') throw new Error(`purchase ${index + 1} is not verified, ${step}: ${sentence}`);
      if (index === 0) narrator.fact(`${step.padEnd('attestation'.length)}  ${sentence}`);
    }
    if (index > 0) narrator.fact(`purchase ${index + 1}: ${steps.map(({ step }) => step).join(', ')}`);
  }
}
