import { expect, it } from 'vitest';
import { type Ended, explain } from './explain.ts';

const rules = (reason: string, message: string): Ended => ({
  kind: 'refused',
  reason,
  message,
  payment: { state: 'unsent' },
});

it.each<[string, Ended, RegExp]>([
  [
    'You rejected the signature',
    rules('signer_failed', 'the wallet did not sign: the user rejected eth_signTypedData_v4 (4001)'),
    /Nothing was paid\..*again/,
  ],
  [
    'Your wallet is on another chain',
    rules(
      'signer_failed',
      'the wallet did not sign: the wallet does not know the chain 0x14a34: add it to the wallet',
    ),
    /Add the chain with the id 84532/,
  ],
  [
    'Your wallet did not sign',
    rules('signer_failed', 'the wallet gives this page no account'),
    /Unlock your wallet/,
  ],
  [
    'The price changed',
    rules('price_above_limit', 'the price of 2 units is above the limit of 1 units'),
    /Show the price/,
  ],
  [
    'The offer is not from this gateway',
    rules('pay_to_not_allowed', 'the recipient 0x1 is not allowed'),
    /signed nothing/,
  ],
  [
    'The account has too few tokens',
    {
      kind: 'error',
      status: 402,
      code: 'insufficient_funds',
      message: 'too low',
      payment: { state: 'released' },
    },
    /Get tokens/,
  ],
  [
    'The gateway rejected the signature',
    {
      kind: 'error',
      status: 401,
      code: 'invalid_signature',
      message: 'wrong',
      payment: { state: 'released' },
    },
    /Select one account/,
  ],
  [
    'Too many requests',
    { kind: 'error', status: 429, code: 'rate_limited', message: 'Wait 3 seconds.' },
    /Wait 3 seconds\. Then pay again/,
  ],
  [
    'The payment may be charged, and the completion is missing',
    { kind: 'network', message: 'the stream broke', payment: { state: 'maybe-charged' } },
    /charges it once/,
  ],
  [
    'The gateway does not respond',
    { kind: 'network', message: 'Failed to fetch', payment: { state: 'unsent' } },
    /Nothing was charged/,
  ],
  [
    'The gateway refused the request',
    { kind: 'error', status: 400, code: 'invalid_request', message: 'messages is empty.' },
    /messages is empty/,
  ],
])('%s: the page says what to do', (title, ended, advice) => {
  const explained = explain(ended);
  expect(explained.title).toBe(title);
  expect(explained.advice).toMatch(advice);
});

it('never says that nothing was charged when the payment may be charged', () => {
  for (const state of ['settled', 'maybe-charged'])
    for (const kind of ['network', 'error'])
      expect(explain({ kind, message: 'lost', payment: { state } }).advice).not.toMatch(
        /Nothing was charged/,
      );
});
