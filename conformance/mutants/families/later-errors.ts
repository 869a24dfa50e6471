import { failing, isAboutFunds, isUnpaid, offering, replying } from '../edits.ts';
import { declared, isToolTurn, later } from '../later.ts';
import type { Asked } from '../message.ts';
import { type Mutant, responds } from '../mutant.ts';
import {
  isObject,
  type Json,
  parsed,
  readPayment,
  withHeader,
  withJson,
  withMember,
  withoutHeader,
} from '../wire-edits.ts';

const offerHeader = 'X-PAYMENT-REQUIRED';

/** Whether all required fields are present, so that the fault is a value. */
function isComplete(asked: Asked): boolean {
  const body = parsed(asked.text);
  return isObject(body) && 'model' in body && ('messages' in body || 'prompt' in body);
}

/** Changes of one part of the error body. */
const parts = {
  envelope: (body: Json) => withMember(body, 'error.message', 7),
  type: (body: Json) => withMember(body, 'error.type', 'error'),
  code: (body: Json) => withMember(body, 'error.code', 'no'),
} as const;
const partNames = ['envelope', 'type', 'code'] as const;

/** Mutants whose error responses are wrong only later or in special cases (contract 7). */
const errorMutants: readonly Mutant[] = [
  ...(['type', 'code'] as const).flatMap((part) => [
    ...(['chat', 'completions'] as const).map((endpoint) =>
      responds(
        `${part}-of-wrong-values-in-${endpoint}`,
        `sends a wrong \`error.${part}\` when all required fields are present and a value is invalid (${endpoint})`,
        [`error.400.${part}`],
        failing(400, parts[part], {
          endpoint,
          when: (asked) => isUnpaid(asked) && isComplete(asked) && !asked.text.includes('no-such-model'),
        }),
      ),
    ),
    later(
      `${part}-of-later-401-other`,
      `sends a wrong \`error.${part}\` in 401 responses after the first`,
      [`error.401.${part}`],
      [undefined, 401],
      (of) => failing(401, parts[part], of),
    ),
  ]),
  responds(
    'broken-json-refused-in-text',
    'declares its 400 response to a body that is not JSON as text/plain',
    ['error.400.content-type'],
    replying((reply) => withHeader(reply, 'Content-Type', 'text/plain'), {
      when: (asked, { status }) => status === 400 && parsed(asked.text) === undefined,
    }),
  ),
  later(
    'later-401-in-html',
    'declares 401 responses after the first as text/html',
    ['error.401.content-type'],
    [undefined, 401],
    (of) => declared('text/html', of),
  ),
  ...(['chat', 'completions'] as const).flatMap((endpoint) => [
    ...partNames.map((part) =>
      later(
        `${part}-of-later-poor-${endpoint}-other`,
        `sends a wrong error ${part} in insufficient_funds responses after the first (${endpoint})`,
        [`error.402.${part}`],
        [endpoint, 402],
        (of) => failing(402, parts[part], of),
        isAboutFunds,
      ),
    ),
    later(
      `later-poor-${endpoint}-in-html`,
      `declares insufficient_funds responses after the first as text/html (${endpoint})`,
      ['error.402.content-type'],
      [endpoint, 402],
      (of) => declared('text/html', of),
      isAboutFunds,
    ),
  ]),
];

const poor = { error: { message: 'No.', type: 'payment_error', code: 'insufficient_funds' } };

/** Mutants whose offers are missing or wrong only later or in special cases (contract 7). */
const paymentRequiredMutants: readonly Mutant[] = [
  responds(
    'no-offer-for-tools',
    'omits the offer for a chat that offers tools',
    ['error.402.offer'],
    replying((reply) => withoutHeader(reply, offerHeader), { endpoint: 'chat', when: isToolTurn }),
  ),
  responds(
    'no-offer-to-who-names-a-type',
    'omits the offer for an unpaid request with a settlement type',
    ['error.402.offer'],
    replying((reply) => withoutHeader(reply, offerHeader), {
      when: (asked) => isUnpaid(asked) && asked.headers['x-settlement-type'] !== undefined,
    }),
  ),
  responds(
    'no-offer-on-refused-terms',
    'omits the offer from the 402 response to a payment with wrong terms',
    ['error.402.offer'],
    replying((reply) => withoutHeader(reply, offerHeader), {
      when: (asked, reply) => readPayment(asked) !== undefined && !isAboutFunds(asked, reply),
    }),
  ),
  responds(
    'asks-for-funds-before-a-payment',
    'returns insufficient_funds without an offer for an unpaid chat that offers tools',
    ['error.402.offer'],
    replying((reply) => withJson(withoutHeader(reply, offerHeader), poor), {
      endpoint: 'chat',
      when: (asked, { status }) => status === 402 && isUnpaid(asked) && isToolTurn(asked),
    }),
  ),
  later(
    'later-offers-for-text-in-raw-json',
    'sends offers for text completions after the first as JSON without base64',
    ['error.402.offer'],
    ['completions', 402],
    (of) => offering((offer) => JSON.stringify(offer), of),
    isUnpaid,
  ),
  later(
    'later-offers-for-text-in-an-array',
    'sends offers for text completions after the first as arrays',
    ['error.402.offer'],
    ['completions', 402],
    (of) => offering((offer) => [offer], of),
    isUnpaid,
  ),
];

/** Mutants whose first error or 402 response is correct (D-124, D-125). */
export const laterErrorMutants: readonly Mutant[] = [...errorMutants, ...paymentRequiredMutants];
