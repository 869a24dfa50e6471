import { expect, it } from 'vitest';
import { type Ended, explain, explainFault } from './explain.ts';
import { stoppedMessage } from './wallet-wait.ts';

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
    /Wait 3 seconds\. Then try again/,
  ],
  [
    'The payment may be charged, and the completion is missing',
    { kind: 'network', message: 'the stream broke', payment: { state: 'maybe-charged' } },
    /Get the completion.*charges it once/,
  ],
  [
    'The payment may be charged, and the completion is missing',
    {
      kind: 'error',
      status: 402,
      code: 'insufficient_funds',
      message: 'too low',
      payment: { state: 'maybe-charged' },
    },
    /charges it once/,
  ],
  [
    'You did not connect your wallet',
    rules('signer_failed', 'the wallet did not sign: the user rejected eth_requestAccounts (4001)'),
    /give this page an account/,
  ],
  [
    'You rejected the change of the chain',
    rules('signer_failed', 'the wallet did not sign: the user rejected wallet_switchEthereumChain (4001)'),
    /84532/,
  ],
  [
    'Your wallet has another account now',
    rules(
      'signer_failed',
      'the wallet did not sign: the user has not authorized eth_signTypedData_v4 (4100): The account is not connected',
    ),
    /Select one account/,
  ],
  [
    'Your wallet did not respond',
    rules('signer_failed', 'the wallet did not sign: the wallet did not respond to eth_chainId within 9 ms'),
    /Open your wallet/,
  ],
  [
    'You stopped waiting for your wallet',
    rules('signer_failed', `the wallet did not sign: ${stoppedMessage}`),
    /drops a later signature/,
  ],
  [
    'The gateway has another address',
    rules(
      'resource_elsewhere',
      'the offer is for https://a.example/v1, but the request is for https://b.example/v1',
    ),
    /https:\/\/a\.example.*address of the offer/,
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

it('a fault of the page says to load it again', () => {
  expect(explainFault(new Error('Failed to fetch dynamically imported module'))).toMatchObject({
    title: 'The page could not go on',
    advice: expect.stringMatching(/Load the page again.*Failed to fetch/),
  });
});
