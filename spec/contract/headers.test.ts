import { headerNames } from '@paid-inference/contract/constants';
import document from '@paid-inference/contract/openapi.json' with { type: 'json' };
import {
  EncodedPaymentObject,
  EncodedPaymentReceipt,
  EncodedPaymentRequirements,
  EncodedX402V2Offer,
  EncodedX402V2Payment,
  EncodedX402V2Refusal,
  SettlementType,
} from '@paid-inference/contract/validators';
import { expect, it } from 'vitest';
import { sections, tableRows } from '../testing/contract-text.ts';
import { describeRules } from '../testing/rules.ts';

describeRules('4.3 settlement mode header', SettlementType, [
  {
    rule: 'is one of the values of the table',
    keeps: tableRows('4.3').map(([value = '']) => value.replaceAll('`', '')),
    breaks: ['Private', 'none', '', 'private, batch', null, 1],
    at: '',
  },
]);

for (const [name, validate] of Object.entries({
  EncodedPaymentObject,
  EncodedPaymentReceipt,
  EncodedPaymentRequirements,
  EncodedX402V2Offer,
  EncodedX402V2Payment,
  EncodedX402V2Refusal,
})) {
  describeRules(`4.1 ${name}`, validate, [
    {
      rule: 'is base64',
      keeps: ['e30=', 'e30', 'YQ==', 'a+/b'],
      breaks: ['', '{}', 'e30===', 'e3 0', 'e3=0', 'e30=, e30=', null, 1],
      at: '',
    },
  ]);
}

const chat = document.paths['/v1/chat/completions'].post;
const text = document.paths['/v1/completions'].post;
const requestHeaders = Object.values(document.components.parameters);

it('the documents name the headers as 4.1 and 4.3 do', () => {
  const { payment, settlementType, paymentResponse, paymentRequired } = headerNames;
  const words = `${sections.get('4.1')}${sections.get('4.3')}`;
  for (const name of [payment, settlementType, paymentResponse, paymentRequired])
    expect(words).toContain(`\`${name}\``);
  expect(requestHeaders.map(({ name }) => name)).toEqual(expect.arrayContaining([payment, settlementType]));
});

it('4.1 requires the receipt of a paid response, but neither the offer of every 402 nor a request header', () => {
  expect(chat.responses['200'].headers['X-PAYMENT-RESPONSE'].required).toBe(true);
  expect(chat.responses['402'].headers['X-PAYMENT-REQUIRED'].required).toBe(false);
  expect(requestHeaders.filter(({ required }) => required)).toEqual([]);
  expect(chat.requestBody.required).toBe(true);
});

it('the headers that the contract does not have are marked as extensions (D-258)', () => {
  const { idempotencyKey, retryCount } = headerNames;
  const extensions = requestHeaders.filter(({ description }) => description.startsWith('Extension: '));
  expect(extensions.map(({ name }) => name).sort()).toEqual([idempotencyKey, retryCount]);
});

it('4.2 has the headers and the payment flow of 4.1', () => {
  expect(text.parameters).toEqual(chat.parameters);
  expect(withoutExamples({ ...text.responses, 200: null })).toEqual(
    withoutExamples({ ...chat.responses, 200: null }),
  );
  expect(text.responses['200'].headers).toEqual(chat.responses['200'].headers);
});

function withoutExamples(responses: object): unknown {
  return JSON.parse(
    JSON.stringify(responses, (key, value: unknown) => (key === 'examples' ? undefined : value)),
  );
}
