import { Wallet } from 'ethers';
import { expect, test } from 'vitest';
import { createPayingFetch } from '../create-paying-fetch.ts';
import { presentationsMax } from '../limits.ts';
import { envelope } from '../testing/completions.ts';
import { chatInit, setStage } from '../testing/exchange.ts';
import type { PaymentSigner } from './authorization.ts';
import { createMemoryJournal, type Journal } from './journal.ts';

test('Refuses a price above the limit of an hour, until the hour is over', async () => {
  await using stage = await setStage();
  const fetch = createPayingFetch(stage.options({ amountPerHourMax: 15_000n }));
  expect((await fetch(stage.chatUrl, chatInit)).status).toBe(200);
  expect((await fetch(stage.chatUrl, chatInit)).status).toBe(402);
  expect(stage.steps.at(-1)).toMatchObject({ step: 'refused', refusal: { reason: 'hour_above_limit' } });
  stage.clock.advance(3_600);
  expect((await fetch(stage.chatUrl, chatInit)).status).toBe(200);
});

test('Sends no open payment of another payer, and keeps it for that payer', async () => {
  await using stage = await setStage();
  const journal = createMemoryJournal();
  const open = (signer: PaymentSigner) => createPayingFetch({ ...stage.options(), signer, journal });
  const [former, present] = [open(stage.wallet), open(Wallet.createRandom())];
  stage.gateway.fates(...Array(presentationsMax).fill({ fate: 'lose-response' }));
  await expect(former(stage.chatUrl, chatInit)).rejects.toThrow('may have been settled');
  expect((await present(stage.chatUrl, chatInit)).headers.has('Idempotent-Replayed')).toBe(false);
  expect((await former(stage.chatUrl, chatInit)).headers.get('Idempotent-Replayed')).toBe('true');
  expect(stage.gateway.store.charges).toHaveLength(2);
});

/** A journal with entries that fail in one of their functions. */
function failingJournal(failing: 'record' | 'end'): Journal {
  const journal = createMemoryJournal();
  const fail = () => {
    throw new Error('the disk is full');
  };
  return {
    ...journal,
    reserve(...given) {
      const reserved = journal.reserve(...given);
      return reserved.ok ? { ok: true, entry: { ...reserved.entry, [failing]: fail } } : reserved;
    },
  };
}

test('Rejects and sends no payment that the journal cannot record', async () => {
  await using stage = await setStage();
  const fetch = createPayingFetch({ ...stage.options(), journal: failingJournal('record') });
  await expect(fetch(stage.chatUrl, chatInit)).rejects.toThrow('the disk is full');
  expect(stage.gateway.paid()).toEqual([]);
});

test('Frees the price of a payment that the journal cannot record', async () => {
  await using stage = await setStage();
  const journal = failingJournal('record');
  await expect(createPayingFetch({ ...stage.options(), journal })(stage.chatUrl, chatInit)).rejects.toThrow();
  expect(journal.amountSigned()).toBe(0n);
});

test('Returns the completion when the journal fails after the payment', async () => {
  await using stage = await setStage();
  const fetch = createPayingFetch({ ...stage.options(), journal: failingJournal('end') });
  expect((await fetch(stage.chatUrl, chatInit)).status).toBe(200);
  expect(stage.steps.at(-1)).toEqual({ step: 'journal-fault', message: 'the disk is full' });
});

const page = '<html>not ours</html>';
const offerHeader = 'X-PAYMENT-REQUIRED';

test.each([
  ['a redirect', [{ fate: 'respond', status: 307, body: '', headers: { Location: '/elsewhere' } }]],
  ['a 402 without an offer', [{ fate: 'respond', status: 402, body: page }]],
  ['a 403 of a proxy', [{ fate: 'respond', status: 403, body: page }]],
  ['a 409 without an error of the contract', [{ fate: 'respond', status: 409, body: '{}' }]],
  ['a 409 of the gateway', [{ fate: 'respond', status: 409, body: envelope('invalid_request') }]],
  ['a 200 that is no JSON', [{ fate: 'respond', status: 200, body: page }]],
  [
    'a lost response and a refusal',
    [{ fate: 'lose-response' }, { fate: 'respond', status: 401, code: 'invalid_signature' }],
  ],
  [
    'a lost response and a second offer',
    [{ fate: 'lose-response' }, { fate: 'respond', status: 402, headers: { [offerHeader]: 'e30=' } }],
  ],
] as const)('The same call sends the same payment after %s (D-350)', async (_, fates) => {
  await using stage = await setStage();
  const fetch = createPayingFetch(stage.options());
  stage.gateway.fates(...fates);
  await (await fetch(stage.chatUrl, chatInit)).text();
  expect((await fetch(stage.chatUrl, chatInit)).status).toBe(200);
  expect(new Set(stage.gateway.paid().map(({ payment }) => payment)).size).toBe(1);
  expect(stage.gateway.store.charges).toHaveLength(1);
});

test.each([
  ['the timeout of a proxy', { fate: 'respond', status: 408, body: page }],
  [
    'a refusal that asks for a retry',
    { fate: 'respond', status: 403, code: 'not_found', headers: { 'x-should-retry': 'true' } },
  ],
] as const)('Sends the payment again by itself after %s', async (_, fate) => {
  await using stage = await setStage();
  stage.gateway.fates(fate);
  expect((await createPayingFetch(stage.options())(stage.chatUrl, chatInit)).status).toBe(200);
  expect(stage.gateway.paid()).toHaveLength(2);
});

test('A refusal by the gateway ends the payment, so the same call makes a new one', async () => {
  await using stage = await setStage();
  const fetch = createPayingFetch(stage.options());
  stage.gateway.fates({ fate: 'respond', status: 400, body: envelope('invalid_request') });
  await fetch(stage.chatUrl, chatInit);
  await fetch(stage.chatUrl, chatInit);
  expect(new Set(stage.gateway.paid().map(({ payment }) => payment)).size).toBe(2);
});

test("Does not replace the caller's own payment by an open one", async () => {
  await using stage = await setStage();
  const fetch = createPayingFetch(stage.options());
  stage.gateway.fates({ fate: 'respond', status: 403, body: page });
  await fetch(stage.chatUrl, chatInit);
  await fetch(stage.chatUrl, { ...chatInit, headers: { ...chatInit.headers, 'X-PAYMENT': 'e30=' } });
  expect(stage.gateway.paid().at(-1)?.payment).toBe('e30=');
});

test('A step that throws after the payment was sent leaves the payment open', async () => {
  await using stage = await setStage();
  let isBroken = true;
  const onStep = ({ step }: { readonly step: string }) => {
    if (isBroken && step === 'receipt') throw new Error('no space for the log');
  };
  const fetch = createPayingFetch({ ...stage.options(), onStep });
  await expect(fetch(stage.chatUrl, chatInit)).rejects.toThrow('no space for the log');
  isBroken = false;
  expect((await fetch(stage.chatUrl, chatInit)).headers.get('Idempotent-Replayed')).toBe('true');
  expect(stage.gateway.store.charges).toHaveLength(1);
});
