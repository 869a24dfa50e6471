import picocolors from 'picocolors';
import type { Step } from '../payment/step.ts';
import { shownUnits, type TokenTerms } from '../token.ts';

/** Prints the demo to standard output. */
export type Narrator = {
  chapter(title: string): void;
  line(text: string): void;
  /** A fact that the demo has just checked. */
  fact(text: string): void;
  /** A decoded object of the wire. */
  object(title: string, value: object): void;
  /** Prints the first purchase in full, later ones in short. */
  step(step: Step): void;
};

const nameWidth = 18;

export function createNarrator(terms: () => TokenTerms | null): Narrator {
  const { stdout, env } = process;
  const paint = picocolors.createColors(stdout.isTTY === true && (env['NO_COLOR'] ?? '') === '');
  let chapters = 0;
  let told = false;
  const line = (text: string) => void stdout.write(`   ${text}\n`);
  const object = (title: string, value: object) => {
    line(title);
    for (const [name, content] of Object.entries(value)) {
      const shown = typeof content === 'string' ? content : JSON.stringify(content);
      line(`  ${paint.dim(name.padEnd(nameWidth))}${shown}`);
    }
  };
  return {
    chapter(title) {
      chapters += 1;
      stdout.write(`\n${paint.bold(`${chapters}. ${title}`)}\n`);
    },
    line,
    fact: (text) => line(`${paint.green('✓')} ${text}`),
    object,
    step(step) {
      switch (step.step) {
        case 'requested':
          return line(`${paint.cyan('→')} ${step.method} ${step.url}`);
        case 'responded':
          return line(`${paint.cyan('←')} ${step.status}${step.status === 402 ? ', payment required' : ''}`);
        case 'offered':
          if (!told) object('  X-PAYMENT-REQUIRED, decoded:', step.offer);
          return line(`  price ${paint.bold(shownUnits(step.offer.maxAmountRequired, terms()))}`);
        case 'signed': {
          const { authorization, signaturePreview } = step;
          if (told) return line(`${paint.cyan('✎')} signed, nonce ${authorization.nonce}`);
          object(
            `${paint.cyan('✎')} signed as EIP-712 typed data, TransferWithAuthorization:`,
            authorization,
          );
          return line(`  ${paint.dim('signature'.padEnd(nameWidth))}${signaturePreview}`);
        }
        case 'presented':
          return line(`${paint.cyan('→')} the same request, with X-PAYMENT`);
        case 'waiting':
          return line(paint.yellow(`  ${step.because}: waiting ${step.waitMs / 1000} s`));
        case 'receipt':
          if (told) return line(`  settled in ${step.receipt.txHash}`);
          told = true;
          return object('  X-PAYMENT-RESPONSE, decoded:', step.receipt);
        case 'receipt-fault':
        case 'journal-fault':
          return line(paint.red(step.message));
        case 'refused':
          return line(paint.red(step.refusal.message));
      }
    },
  };
}
