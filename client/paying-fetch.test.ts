import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { endpoints } from '@paid-inference/contract/constants';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from './clock.ts';
import { presentationsMax } from './limits.ts';
import { payingFetch } from './paying-fetch.ts';
import { chatInit, type Stage, setStage } from './testing/exchange.ts';
import { startTestGateway } from './testing/gateway.ts';
import { programEnvironment } from './testing/program-environment.ts';

let stage: Stage;
const folder = mkdtempSync(join(tmpdir(), 'paid-inference-paying-fetch-'));
const keyFile = join(folder, 'payer.key');
const rules = { amountPerRequestMax: 10_000n, amountTotalMax: 25_000n };

beforeAll(async () => {
  stage = await setStage();
  writeFileSync(keyFile, stage.wallet.privateKey, { mode: 0o600 });
});
afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const open = (name: string) =>
  payingFetch({ keyFile, journalFile: join(folder, name), rules, clock: stage.clock, timeoutMs: 5_000 });
const paidNonces = () => new Set(stage.gateway.paid().map(({ payment }) => payment)).size;

test('Sends the payment of an earlier fetch again, whose outcome is unknown', async () => {
  const { gateway } = stage;
  const [paid, charges] = [paidNonces(), gateway.store.charges.length];
  gateway.fates(...Array(presentationsMax).fill({ fate: 'lose-response' }));
  await expect(open('again')(stage.chatUrl, chatInit)).rejects.toThrow('may have been settled');
  const response = await open('again')(stage.chatUrl, chatInit);
  expect(response.headers.get('Idempotent-Replayed')).toBe('true');
  expect([paidNonces(), gateway.store.charges.length]).toEqual([paid + 1, charges + 1]);
});

test('Counts the payments of earlier fetches in the total', async () => {
  for (const status of [200, 200, 402])
    expect((await open('total')(stage.chatUrl, chatInit)).status).toBe(status);
});

test('Throws for a key file that others can read, and for a journal that is no journal', () => {
  const readable = join(folder, 'readable.key');
  writeFileSync(readable, stage.wallet.privateKey, { mode: 0o644 });
  const journalFile = join(folder, 'thrown');
  expect(() => payingFetch({ keyFile: readable, journalFile, rules })).toThrow('can be read by other users');
  expect(() => payingFetch({ keyFile, journalFile: keyFile, rules })).toThrow('cannot be opened');
});

test.each([
  ['keyFile', 'payingFetch: keyFile names no file'],
  ['journalFile', 'payingFetch: journalFile names no file'],
  ['rules', 'spending rules: there are none. Give amountPerRequestMax and amountTotalMax'],
])('Throws for the option %s that a program without types left out', (name, message) => {
  const options = { keyFile, journalFile: join(folder, 'left-out'), rules, [name]: undefined };
  expect(() => payingFetch(JSON.parse('{}', () => options))).toThrow(message);
});

/** A program that buys one completion. */
const program = `
  import { payingFetch } from ${JSON.stringify(new URL('paying-fetch.ts', import.meta.url).href)};
  const [keyFile, journalFile, url, init] = process.argv.slice(2);
  const fetch = payingFetch({ keyFile, journalFile, rules: { amountPerRequestMax: 10000n, amountTotalMax: 25000n } });
  console.log((await fetch(url, JSON.parse(init))).status);`;

test('After a SIGKILL, the next process sends the same payment and gets the completion', async () => {
  await using gateway = await startTestGateway(systemClock.nowSeconds);
  const file = join(folder, 'buy.mts');
  writeFileSync(file, program);
  const url = gateway.url + endpoints.createChatCompletion.path;
  const given = [file, keyFile, join(folder, 'killed'), url, JSON.stringify(chatInit)];
  const start = () =>
    spawn(process.execPath, given, { env: programEnvironment, stdio: ['ignore', 'pipe', 'inherit'] });
  gateway.fates({ fate: 'hang' });
  const killed = start();
  await expect.poll(() => gateway.paid()).toHaveLength(1);
  killed.kill('SIGKILL');
  await once(killed, 'close');
  expect(await text(start().stdout)).toBe('200\n');
  expect(new Set(gateway.paid().map(({ payment }) => payment)).size).toBe(1);
  expect(gateway.store.charges).toHaveLength(1);
});
