import type { Check } from '../context/check.ts';
import { bodyChatChecks } from './bodies/body-chat.ts';
import { bodyCompletionsChecks } from './bodies/body-completions.ts';
import { bodyMessageChecks } from './bodies/body-messages.ts';
import { bodyToolChecks } from './bodies/body-tools.ts';
import { conversationShapeChecks } from './bodies/conversation-shapes.ts';
import { jsonBodyChecks } from './bodies/json-bodies.ts';
import { laterPlaceChecks } from './bodies/later-places.ts';
import { modelSpellingChecks } from './bodies/model-spellings.ts';
import { unusualBodyChecks } from './bodies/unusual-bodies.ts';
import { acceptedBodyChecks } from './bodies/valid-bodies.ts';
import { validEdgeChecks } from './bodies/valid-edges.ts';
import { wrongTypeChecks } from './bodies/wrong-types.ts';
import { chainChecks } from './chain/chain.ts';
import { ledgerChecks } from './chain/ledger.ts';
import { errorChecks } from './errors/errors.ts';
import { limitsChecks } from './errors/limits.ts';
import { rateLimitedChecks } from './errors/rate-limited.ts';
import { invariantChecks } from './invariants/invariants.ts';
import { nearRecipientChecks, nothingPaidChecks, tooMuchChecks } from './payments/amounts.ts';
import { signedConditionChecks } from './payments/conditions-signed.ts';
import { fundsChecks } from './payments/funds.ts';
import { invalidPaidChecks } from './payments/invalid-paid.ts';
import { malformedChecks } from './payments/malformed.ts';
import { onePaymentChecks } from './payments/one-payment.ts';
import { ownTermsChecks } from './payments/own-terms.ts';
import { paymentSignatureChecks } from './payments/payment-signature.ts';
import { paymentTermsChecks } from './payments/payment-terms.ts';
import { afterServedChecks, secondTimeChecks } from './payments/second-time.ts';
import { paidSequenceChecks, refusedSequenceChecks } from './payments/sequences.ts';
import { servedAgainChecks } from './payments/served-again.ts';
import { chatResponseChecks } from './responses/chat-response.ts';
import { completionResponseChecks } from './responses/completion-response.ts';
import { defaultChecks } from './responses/defaults.ts';
import { paidStreamChecks } from './responses/paid-streams.ts';
import { receiptChecks } from './responses/receipt.ts';
import { streamChecks } from './responses/streams.ts';
import { toolChecks } from './responses/tools.ts';
import { afterRefusalChecks } from './robustness/after-refusals.ts';
import { conditionChecks } from './robustness/conditions.ts';
import { robustnessChecks } from './robustness/robustness.ts';
import { knownPayerChecks, namedPayerChecks, wellKnownPayerChecks } from './signatures/known-payer.ts';
import { letterCaseChecks } from './signatures/letter-case.ts';
import { signatureChecks } from './signatures/signature.ts';
import { tokenSymbolChecks } from './signatures/token-symbol.ts';
import { catalogChecks } from './unpaid/catalog.ts';
import { insteadOfPaymentChecks } from './unpaid/instead-of-payment.ts';
import { manyAtOnceChecks } from './unpaid/many-at-once.ts';
import { offerChecks } from './unpaid/offer.ts';
import { otherClientChecks } from './unpaid/other-clients.ts';
import { returnedAtOnceChecks, returnedHeaderChecks } from './unpaid/returned-headers.ts';
import { settlementTypeChecks } from './unpaid/settlement-type.ts';
import { unpaidChecks } from './unpaid/unpaid.ts';

/** All checks in the order of running: free checks first, checks with random requests last. */
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
  ...laterPlaceChecks,
  ...modelSpellingChecks,
  ...insteadOfPaymentChecks,
  ...returnedAtOnceChecks,
  ...manyAtOnceChecks,
  ...jsonBodyChecks,
  ...conditionChecks,
  ...afterRefusalChecks,
  ...errorChecks,
  ...rateLimitedChecks,
  ...signatureChecks,
  ...tokenSymbolChecks,
  ...fundsChecks,
  ...nothingPaidChecks,
  ...secondTimeChecks,
  ...letterCaseChecks,
  ...refusedSequenceChecks,
  ...malformedChecks,
  ...paymentSignatureChecks,
  ...signedConditionChecks,
  ...chatResponseChecks,
  ...completionResponseChecks,
  ...knownPayerChecks,
  ...defaultChecks,
  ...receiptChecks,
  ...paymentTermsChecks,
  ...tooMuchChecks,
  ...nearRecipientChecks,
  ...ownTermsChecks,
  ...invalidPaidChecks,
  ...onePaymentChecks,
  ...toolChecks,
  ...paidSequenceChecks,
  ...returnedHeaderChecks,
  ...servedAgainChecks,
  ...afterServedChecks,
  ...paidStreamChecks,
  ...streamChecks,
  ...wellKnownPayerChecks,
  ...namedPayerChecks,
  ...invariantChecks,
  ...chainChecks,
  ...ledgerChecks,
  ...robustnessChecks,
  ...unusualBodyChecks,
  ...limitsChecks,
];
