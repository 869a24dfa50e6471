import { headerNames } from '@paid-inference/contract/constants';
import { transferWithAuthorizationTypes } from '@paid-inference/contract/eip712';
import vectors from '@paid-inference/contract/vectors.json' with { type: 'json' };
import type { VNode } from 'preact';
import { el, json } from './text.ts';

/** The steps of a purchase. Each payment header stands decoded beside its bytes (from vectors.json). */
export function flowSection(): VNode {
  return el(
    'section',
    { id: 'payment-flow', 'aria-labelledby': 'payment-flow-title' },
    el('h2', { id: 'payment-flow-title' }, 'The payment flow'),
    el(
      'p',
      null,
      'A purchase is one request that the client sends twice: first without a payment, then with one. All examples below are one purchase. ',
      'Its keys are public test keys.',
    ),
    step('1. Ask for the price', [
      'Send the request without a payment. The gateway returns ',
      el('code', null, '402'),
      ' and an offer. It has run no model and charged nothing.',
    ]),
    header(headerNames.paymentRequired, vectors.offer),
    step('2. Check and sign the offer', [
      'Accept the offer only if you trust its token (',
      el('code', null, 'asset'),
      '), its recipient (',
      el('code', null, 'payTo'),
      ') and its price. Sign these fields as EIP-712 typed data. The nonce has 32 random bytes.',
    ]),
    json({
      primaryType: 'TransferWithAuthorization',
      types: transferWithAuthorizationTypes,
      message: vectors.authorization,
    }),
    step('3. Send the request again, with the payment', [
      'The gateway verifies the signature, holds the price back from the balance of the payer, runs the model, and settles the transfer.',
    ]),
    header(headerNames.payment, {
      payload: { signature: vectors.signature, authorization: vectors.authorization },
    }),
    step('4. Read the completion and the receipt', [
      'The response is ',
      el('code', null, '200'),
      '. The receipt names the transaction that moved the tokens.',
    ]),
    header(headerNames.paymentResponse, vectors.receipt),
    step('5. Keep the proof', [
      'The proof has the hashes of request and response. The gateway signs it with its enclave key, and records it on the proof ledger.',
    ]),
    header(headerNames.inferenceProof, vectors.proof),
    el('h3', null, 'After an error or a timeout'),
    el(
      'p',
      null,
      'Send the same request with the same payment again. The gateway charges one authorization at most once, and returns the stored completion. ',
      'A new signature is a new purchase.',
    ),
  );
}

function step(title: string, text: (string | VNode)[]): VNode[] {
  return [el('h3', null, title), el('p', null, ...text)];
}

/** A header as its decoded JSON, and as the bytes that are sent. */
function header(name: keyof typeof vectors.headers, value: unknown): VNode {
  return el(
    'div',
    { class: 'panel' },
    el('p', null, el('code', null, name), ' decoded from base64:'),
    json(value),
    el(
      'details',
      null,
      el('summary', null, 'The bytes of the header'),
      el('pre', { tabindex: 0, class: 'wrapped' }, el('code', null, vectors.headers[name])),
    ),
  );
}
