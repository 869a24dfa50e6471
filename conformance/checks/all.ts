import type { RequirementId } from '@paid-inference/contract/requirements';
import type { Check } from '../engine/check.ts';
import { bodyChatChecks } from './body-chat.ts';
import { bodyCompletionsChecks } from './body-completions.ts';
import { bodyMessageChecks } from './body-messages.ts';
import { chatAnswerChecks } from './chat-answer.ts';
import { completionAnswerChecks } from './completion-answer.ts';
import { errorChecks } from './errors.ts';
import { fundsChecks } from './funds.ts';
import { malformedChecks } from './malformed.ts';
import { offerChecks } from './offer.ts';
import { paymentTermsChecks } from './payment-terms.ts';
import { receiptChecks } from './receipt.ts';
import { settlementTypeChecks } from './settlement-type.ts';
import { signatureChecks } from './signature.ts';
import { toolChecks } from './tools.ts';
import { unpaidChecks } from './unpaid.ts';

/** Every check, in the order in which they run: what costs nothing first. */
export const checks: readonly Check[] = [
  ...unpaidChecks,
  ...offerChecks,
  ...settlementTypeChecks,
  ...bodyChatChecks,
  ...bodyMessageChecks,
  ...bodyCompletionsChecks,
  ...errorChecks,
  ...signatureChecks,
  ...fundsChecks,
  ...malformedChecks,
  ...chatAnswerChecks,
  ...completionAnswerChecks,
  ...receiptChecks,
  ...paymentTermsChecks,
  ...toolChecks,
];

/** Requirements of the catalogue that nothing here checks yet. In scope they are inconclusive, never green. */
export const notYetCovered: readonly RequirementId[] = [
  'error.429.envelope',
  'error.oversized',
  'rate-limit.headers',
];
