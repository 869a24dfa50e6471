import { bodyMutants } from './families/bodies.ts';
import { clientMutants } from './families/clients.ts';
import { coercionMutants } from './families/coercions.ts';
import { conditionMutants, invalidConditionMutants, sixthModelMutants } from './families/conditions.ts';
import { discoveryMutants } from './families/discovery.ts';
import { drawnMutants } from './families/drawn.ts';
import { errorMutants } from './families/errors.ts';
import { foreignBodyMutants } from './families/foreign-bodies.ts';
import { jsonBodyMutants } from './families/json-bodies.ts';
import { justBeyondMutants } from './families/just-beyond.ts';
import { knownPayerMutants } from './families/known-payers.ts';
import { laterErrorMutants } from './families/later-errors.ts';
import { laterServedMutants } from './families/later-served.ts';
import { lawfulBodyMutants } from './families/lawful-bodies.ts';
import { lenientMutants } from './families/lenient.ts';
import { letterCaseMutants } from './families/letter-case.ts';
import { limitsMutants } from './families/limits.ts';
import { malformedMutants } from './families/malformed.ts';
import { messageMutants } from './families/messages.ts';
import { looseModelMutants, modelMutants } from './families/models.ts';
import { nodesMutants } from './families/nodes.ts';
import { offerMutants } from './families/offer.ts';
import { paidBodyMutants } from './families/paid-bodies.ts';
import { paidConditionMutants } from './families/paid-conditions.ts';
import { paymentSignatureMutants } from './families/payment-signature.ts';
import { receiptMutants } from './families/receipt.ts';
import { rememberingMutants } from './families/remembered-payments.ts';
import { repeatedRequestMutants } from './families/repeated-requests.ts';
import { responseMutants } from './families/responses.ts';
import { secondTimeMutants } from './families/second-time.ts';
import { sequenceMutants } from './families/sequences.ts';
import { servedAlikeMutants } from './families/served-alike.ts';
import { servedOddMutants } from './families/served-odd.ts';
import { servedUnpaidMutants } from './families/served-unpaid.ts';
import { settlementTypeMutants } from './families/settlement-type.ts';
import { shownProofMutants } from './families/shown-proofs.ts';
import { signatureMutants } from './families/signature.ts';
import { signatureFormMutants } from './families/signature-forms.ts';
import { signedChatMutants } from './families/signed-chats.ts';
import { signedConditionMutants, signedSixthModelMutants } from './families/signed-conditions.ts';
import { smallBodyMutants } from './families/small-bodies.ts';
import { stopMutants } from './families/stop.ts';
import { streamMutants } from './families/streams.ts';
import { termsMutants } from './families/terms.ts';
import { toolMutants } from './families/tools.ts';
import { trialMutants } from './families/trials.ts';
import { typedDataMutants } from './families/typed-data.ts';
import { unansweredMutants } from './families/unanswered.ts';
import { unpaidMutants } from './families/unpaid.ts';
import { validEdgeMutants } from './families/valid-edges.ts';
import type { Mutant } from './mutant.ts';

/** Only the reference gateway reveals these: the independent implementation lists four models. */
const ofManyModels: readonly Mutant[] = [
  ...sixthModelMutants,
  ...signedSixthModelMutants,
  ...looseModelMutants,
];

/** Mutants by the part of the contract that they break. The key is the tag by which a test selects some of each kind. */
export const mutantFamilies: Readonly<Record<string, readonly Mutant[]>> = {
  unpaid: unpaidMutants,
  client: clientMutants,
  offer: offerMutants,
  settlementType: settlementTypeMutants,
  body: bodyMutants,
  model: modelMutants,
  justBeyond: justBeyondMutants,
  lenient: lenientMutants,
  message: messageMutants,
  coercion: coercionMutants,
  error: errorMutants,
  malformed: malformedMutants,
  paymentSignature: paymentSignatureMutants,
  signature: signatureMutants,
  knownPayer: knownPayerMutants,
  signatureForm: signatureFormMutants,
  letterCase: letterCaseMutants,
  terms: termsMutants,
  secondTime: secondTimeMutants,
  response: responseMutants,
  stop: stopMutants,
  receipt: receiptMutants,
  tool: toolMutants,
  limits: limitsMutants,
  nodes: nodesMutants,
  sequence: sequenceMutants,
  laterServed: laterServedMutants,
  laterError: laterErrorMutants,
  paidBody: paidBodyMutants,
  servedUnpaid: servedUnpaidMutants,
  remembering: rememberingMutants,
  shownProof: shownProofMutants,
  servedAlike: servedAlikeMutants,
  servedOdd: servedOddMutants,
  jsonBody: jsonBodyMutants,
  typedData: typedDataMutants,
  validEdge: validEdgeMutants,
  discovery: discoveryMutants,
  condition: conditionMutants,
  invalidCondition: invalidConditionMutants,
  repeatedRequest: repeatedRequestMutants,
  signedCondition: signedConditionMutants,
  signedChat: signedChatMutants,
  paidCondition: paidConditionMutants,
  lawfulBody: lawfulBodyMutants,
  smallBody: smallBodyMutants,
  foreignBody: foreignBodyMutants,
  trial: trialMutants,
  unanswered: unansweredMutants,
  drawn: drawnMutants,
  stream: streamMutants,
};

/** Every mutant that is made at the edge, and so of any gateway. */
export const mutants: readonly Mutant[] = [...Object.values(mutantFamilies).flat(), ...ofManyModels];
