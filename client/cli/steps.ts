import type { Step } from '../payment/step.ts';
import { shownUnits, type TokenTerms } from '../token.ts';
import type { Terminal } from './terminal.ts';
import { visibleLine } from './visible.ts';

/**
 * Describes a step of a paid call in lines for a person. Without the token's terms, prices are in units alone.
 */
export function describeStep(
  step: Step,
  terms: TokenTerms | null,
  paint: Terminal['paint'],
): readonly string[] {
  switch (step.step) {
    case 'requested':
      return [`${paint.cyan('→')} ${step.method} ${step.url}`];
    case 'offered': {
      const { maxAmountRequired, asset, network, payTo } = step.offer;
      return [
        `  price    ${paint.bold(visibleLine(shownUnits(maxAmountRequired, terms)))}`,
        paint.dim(`  token    ${asset} on ${network}`),
        paint.dim(`  pay to   ${payTo}`),
      ];
    }
    case 'refused':
      return [];
    case 'signed': {
      const { nonce, validBefore } = step.authorization;
      return [
        `${paint.cyan('✎')} signed an authorization for exactly this price: ${step.signaturePreview}`,
        paint.dim(`  nonce    ${nonce}`),
        paint.dim(`  valid    until ${new Date(validBefore * 1000).toISOString()}`),
      ];
    }
    case 'presented': {
      const again = step.attempt > 1 ? 'the same authorization, again' : 'the same request, with X-PAYMENT';
      return [`${paint.cyan('→')} ${again}`];
    }
    case 'waiting':
      return [paint.yellow(`  ${visibleLine(step.because)}: waiting ${step.waitMs / 1000} s`)];
    case 'responded':
      return [`${paint.cyan('←')} ${step.status}${step.status === 402 ? ', payment required' : ''}`];
    case 'receipt': {
      const replayed = step.replayed ? ' (the stored completion, replayed)' : '';
      return [`${paint.green('✓')} settled${replayed}`, paint.dim(`  tx       ${step.receipt.txHash}`)];
    }
    case 'receipt-fault':
      return [paint.yellow(`  the response proves no payment: ${visibleLine(step.message)}`)];
    case 'journal-fault':
      return [paint.yellow(`  the journal failed: ${visibleLine(step.message)}`)];
  }
}
