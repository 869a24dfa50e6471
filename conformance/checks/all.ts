import type { Check } from '../engine/check.ts';
import { nothingPaidChecks, tooMuchChecks } from './amounts.ts';
import { bodyChatChecks } from './body-chat.ts';
import { bodyCompletionsChecks } from './body-completions.ts';
import { bodyMessageChecks } from './body-messages.ts';
import { bodyToolChecks } from './body-tools.ts';
import { catalogChecks } from './catalog.ts';
import { chainChecks } from './chain.ts';
import { chatAnswerChecks } from './chat-answer.ts';
import { completionAnswerChecks } from './completion-answer.ts';
import { conditionChecks } from './conditions.ts';
import { signedConditionChecks } from './conditions-signed.ts';
import { conversationShapeChecks } from './conversation-shapes.ts';
import { defaultChecks } from './defaults.ts';
import { errorChecks } from './errors.ts';
import { fundsChecks } from './funds.ts';
import { insteadOfPaymentChecks, receiptInsteadChecks } from './instead-of-payment.ts';
import { invalidPaidChecks } from './invalid-paid.ts';
import { invariantChecks } from './invariants.ts';
import { jsonBodyChecks } from './json-bodies.ts';
import { knownPayerChecks, wellKnownPayerChecks } from './known-payer.ts';
import { ledgerChecks } from './ledger.ts';
import { letterCaseChecks } from './letter-case.ts';
import { limitsChecks } from './limits.ts';
import { malformedChecks } from './malformed.ts';
import { offerChecks } from './offer.ts';
import { otherClientChecks } from './other-clients.ts';
import { paymentTermsChecks } from './payment-terms.ts';
import { rateLimitedChecks } from './rate-limited.ts';
import { receiptChecks } from './receipt.ts';
import { robustnessChecks } from './robustness.ts';
import { afterServedChecks, secondTimeChecks } from './second-time.ts';
import { paidSequenceChecks, refusedSequenceChecks } from './sequences.ts';
import { settlementTypeChecks } from './settlement-type.ts';
import { signatureChecks } from './signature.ts';
import { toolChecks } from './tools.ts';
import { unpaidChecks } from './unpaid.ts';
import { unusualBodyChecks } from './unusual-bodies.ts';
import { acceptedBodyChecks } from './valid-bodies.ts';
import { validEdgeChecks } from './valid-edges.ts';
import { wrongTypeChecks } from './wrong-types.ts';

/** Every check, in the order in which they run: what costs nothing first, and what is left to chance last. */
export const checks: readonly Check[] = [
  ...unpaidChecks,
  ...otherClientChecks,
  ...offerChecks,
  ...settlementTypeChecks,
  ...catalogChecks,
  ...bodyChatChecks,
  ...bodyMessageChecks,
  ...bodyToolChecks,
  ...bodyCompletionsChecks,
  ...acceptedBodyChecks,
  ...validEdgeChecks,
  ...conversationShapeChecks,
  ...wrongTypeChecks,
  ...insteadOfPaymentChecks,
  ...jsonBodyChecks,
  ...conditionChecks,
  ...errorChecks,
  ...rateLimitedChecks,
  ...signatureChecks,
  ...fundsChecks,
  ...nothingPaidChecks,
  ...secondTimeChecks,
  ...letterCaseChecks,
  ...refusedSequenceChecks,
  ...malformedChecks,
  ...signedConditionChecks,
  ...chatAnswerChecks,
  ...completionAnswerChecks,
  ...knownPayerChecks,
  ...defaultChecks,
  ...receiptChecks,
  ...paymentTermsChecks,
  ...tooMuchChecks,
  ...invalidPaidChecks,
  ...toolChecks,
  ...paidSequenceChecks,
  ...receiptInsteadChecks,
  ...afterServedChecks,
  ...wellKnownPayerChecks,
  ...invariantChecks,
  ...chainChecks,
  ...ledgerChecks,
  ...robustnessChecks,
  ...unusualBodyChecks,
  ...limitsChecks,
];
