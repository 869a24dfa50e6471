import { bodyVariants } from './bodies.ts';
import { boundPaymentVariants } from './bound-payments.ts';
import { conditionVariants } from './conditions.ts';
import { errorVariants } from './errors.ts';
import { headerVariants } from './headers.ts';
import { orderVariants } from './order-of-checks.ts';
import { quoteVariants } from './quotes.ts';
import { refusalVariants } from './refusals.ts';
import { requestVariants } from './requests.ts';
import { transportVariants } from './transport.ts';
import { usedPaymentVariants } from './used-payments.ts';
import type { LegalVariant } from './variant.ts';
import { verdictVariants } from './verdicts.ts';

/** Every legal variant, in the order of the kill matrix. */
export const legalVariants: readonly LegalVariant[] = [
  ...headerVariants,
  ...bodyVariants,
  ...refusalVariants,
  ...orderVariants,
  ...quoteVariants,
  ...errorVariants,
  ...requestVariants,
  ...transportVariants,
  ...usedPaymentVariants,
  ...boundPaymentVariants,
  ...verdictVariants,
  ...conditionVariants,
];
