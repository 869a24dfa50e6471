import { bodyVariants } from './bodies.ts';
import { boundPaymentVariants } from './bound-payments.ts';
import { conditionVariants } from './conditions.ts';
import { errorVariants } from './errors.ts';
import { furtherVariants } from './further.ts';
import { headerVariants } from './headers.ts';
import { orderVariants } from './order-of-checks.ts';
import { quoteVariants } from './quotes.ts';
import { refusalVariants } from './refusals.ts';
import { requestVariants } from './requests.ts';
import { streamVariants } from './streams.ts';
import { transportVariants } from './transport.ts';
import { usedPaymentVariants } from './used-payments.ts';
import type { LegalVariant } from './variant.ts';
import { verdictVariants } from './verdicts.ts';

/** Legal variants by the part of the contract that leaves them open. The key is the tag by which a test selects. */
export const variantFamilies: Readonly<Record<string, readonly LegalVariant[]>> = {
  header: headerVariants,
  body: bodyVariants,
  refusal: refusalVariants,
  order: orderVariants,
  quote: quoteVariants,
  error: errorVariants,
  request: requestVariants,
  transport: transportVariants,
  usedPayment: usedPaymentVariants,
  boundPayment: boundPaymentVariants,
  verdict: verdictVariants,
  condition: conditionVariants,
  stream: streamVariants,
  further: furtherVariants,
};

/** Every gateway that differs where the contract leaves a choice. */
export const legalVariants: readonly LegalVariant[] = Object.values(variantFamilies).flat();
