import { failing, isAboutFunds, isUnpaid, offering, replying } from '../edits.ts';
import { declared, isToolTurn, later } from '../later.ts';
import type { Asked } from '../message.ts';
import { answers, type Mutant } from '../mutant.ts';
import {
  isObject,
  type Json,
  parsed,
  paymentOf,
  withHeader,
  withJson,
  withMember,
  withoutHeader,
} from '../wire-edits.ts';

const offerHeader = 'X-PAYMENT-REQUIRED';

/** Whatever is required is there, so that what is wrong is a value. */
function isComplete(asked: Asked): boolean {
  const body = parsed(asked.text);
  return isObject(body) && 'model' in body && ('messages' in body || 'prompt' in body);
}

/** Parts of the error body, changed. */
const parts = {
  envelope: (body: Json) => withMember(body, 'error.message', 7),
  type: (body: Json) => withMember(body, 'error.type', 'error'),
  code: (body: Json) => withMember(body, 'error.code', 'no'),
} as const;
const partNames = ['envelope', 'type', 'code'] as const;

/** Refusals of which the first of each kind is right (contract 7). */
const errorMutants: readonly Mutant[] = [
  ...(['type', 'code'] as const).flatMap((part) => [
    ...(['chat', 'completions'] as const).map((endpoint) =>
      answers(
        `${part}-of-wrong-values-in-${endpoint}`,
        `gives another \`error.${part}\` where a ${endpoint === 'chat' ? 'chat' : 'text'} has all that is required, and a value is wrong`,
        [`error.400.${part}`],
        failing(400, parts[part], {
          endpoint,
          when: (asked) => isUnpaid(asked) && isComplete(asked) && !asked.text.includes('no-such-model'),
        }),
      ),
    ),
    later(
      `${part}-of-later-401-other`,
      `gives another \`error.${part}\` on 401 after the first`,
      [`error.401.${part}`],
      [undefined, 401],
      (of) => failing(401, parts[part], of),
    ),
  ]),
  answers(
    'broken-json-refused-in-text',
    'declares its refusal of what is not JSON as text/plain',
    ['error.400.content-type'],
    replying((reply) => withHeader(reply, 'Content-Type', 'text/plain'), {
      when: (asked, { status }) => status === 400 && parsed(asked.text) === undefined,
    }),
  ),
  later(
    'later-401-in-html',
    'declares its 401 as a page after the first',
    ['error.401.content-type'],
    [undefined, 401],
    (of) => declared('text/html', of),
  ),
  ...(['chat', 'completions'] as const).flatMap((endpoint) => [
    ...partNames.map((part) =>
      later(
        `${part}-of-later-poor-${endpoint}-other`,
        `refuses who owns too little with another ${part} the second time (${endpoint})`,
        [`error.402.${part}`],
        [endpoint, 402],
        (of) => failing(402, parts[part], of),
        isAboutFunds,
      ),
    ),
    later(
      `later-poor-${endpoint}-in-html`,
      `declares its refusal of who owns too little as a page the second time (${endpoint})`,
      ['error.402.content-type'],
      [endpoint, 402],
      (of) => declared('text/html', of),
      isAboutFunds,
    ),
  ]),
];

const poor = { error: { message: 'No.', type: 'payment_error', code: 'insufficient_funds' } };

/** Demands of which the first is right (contract 7, the row that has no error body). */
const paymentRequiredMutants: readonly Mutant[] = [
  answers(
    'no-offer-for-tools',
    'makes no offer for a body with tools',
    ['error.402.offer'],
    replying((reply) => withoutHeader(reply, offerHeader), { endpoint: 'chat', when: isToolTurn }),
  ),
  answers(
    'no-offer-to-who-names-a-type',
    'makes no offer where a settlement type is named',
    ['error.402.offer'],
    replying((reply) => withoutHeader(reply, offerHeader), {
      when: (asked) => isUnpaid(asked) && asked.headers['x-settlement-type'] !== undefined,
    }),
  ),
  answers(
    'no-offer-on-refused-terms',
    'refuses a payment on other terms than its own with 402 and no offer',
    ['error.402.offer'],
    replying((reply) => withoutHeader(reply, offerHeader), {
      when: (asked, reply) => paymentOf(asked) !== undefined && !isAboutFunds(asked, reply),
    }),
  ),
  answers(
    'asks-for-funds-before-a-payment',
    'says of who has not paid for a body with tools that the balance is too low',
    ['error.402.offer'],
    replying((reply) => withJson(withoutHeader(reply, offerHeader), poor), {
      endpoint: 'chat',
      when: (asked, { status }) => status === 402 && isUnpaid(asked) && isToolTurn(asked),
    }),
  ),
  later(
    'later-offers-for-text-in-raw-json',
    'puts the JSON of an offer for text into its header after the first',
    ['error.402.offer'],
    ['completions', 402],
    (of) => offering((offer) => JSON.stringify(offer), of),
    isUnpaid,
  ),
  later(
    'later-offers-for-text-in-an-array',
    'makes its offers for text as arrays after the first',
    ['error.402.offer'],
    ['completions', 402],
    (of) => offering((offer) => [offer], of),
    isUnpaid,
  ),
];

/** Refusals and demands that are right the first time (D-124, D-125). */
export const laterErrorMutants: readonly Mutant[] = [...errorMutants, ...paymentRequiredMutants];
