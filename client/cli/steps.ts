import type { Step } from '../payment/step.ts';
import { shownUnits, type TokenTerms } from '../token.ts';
import type { Terminal } from './terminal.ts';
import { visibleLine } from './visible.ts';

/** What a paying call does, in lines for a person. Prices are in units alone where the token's terms are not known. */
export function linesOf(step: Step, terms: TokenTerms | null, paint: Terminal['paint']): readonly string[] {
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
        `${paint.cyan('✎')} signed an authorization for exactly that: ${step.signaturePreview}`,
        paint.dim(`  nonce    ${nonce}`),
        paint.dim(`  valid    until ${new Date(validBefore * 1000).toISOString()}`),
      ];
    }
    case 'presented': {
      const again =
        step.attempt > 1 ? 'the same authorization, once more' : 'the same request, with X-PAYMENT';
      return [`${paint.cyan('→')} ${again}`];
    }
    case 'waiting':
      return [paint.yellow(`  ${visibleLine(step.because)}: waiting ${step.waitMs / 1000} s`)];
    case 'answered':
      return [`${paint.cyan('←')} ${step.status}${step.status === 402 ? ', payment required' : ''}`];
    case 'receipt': {
      const replayed = step.replayed ? ' (its stored answer, sent again)' : '';
      return [`${paint.green('✓')} settled${replayed}`, paint.dim(`  tx       ${step.receipt.txHash}`)];
    }
    case 'receipt-fault':
      return [paint.yellow(`  the answer proves no payment: ${visibleLine(step.message)}`)];
  }
}
