import { Wallet } from 'ethers';
import { expect, test } from 'vitest';
import { createPayingFetch } from '../create-paying-fetch.ts';
import { presentationsMax } from '../limits.ts';
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

test('Returns the completion when the journal fails after the payment', async () => {
  await using stage = await setStage();
  const fetch = createPayingFetch({ ...stage.options(), journal: failingJournal('end') });
  expect((await fetch(stage.chatUrl, chatInit)).status).toBe(200);
  expect(stage.steps.at(-1)).toEqual({ step: 'journal-fault', message: 'the disk is full' });
});
