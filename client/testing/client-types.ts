import { Wallet } from 'ethers';
import { expectTypeOf } from 'vitest';
import type { Client, PaidResult } from '../index.ts';
import { createClient, createPayingFetch } from '../index.ts';

const messages = [{ role: 'user', content: 'ping' }] as const;
const rules = { amountPerRequestMax: 1n, amountTotalMax: 1n };

// For the compiler only: `tsc` fails when a line compiles that the contract forbids.

export function bodies(client: Client): void {
  void client.chat({ model: 'alder/alder-mini', messages, max_tokens: 1, tool_choice: 'auto' });
  void client.complete({ model: 'alder/alder-mini', prompt: 'ping', stop: ['.'] });
  // @ts-expect-error messages are required
  void client.chat({ model: 'alder/alder-mini' });
  // @ts-expect-error the contract spells it max_tokens
  void client.chat({ model: 'alder/alder-mini', messages, maxTokens: 1 });
  // @ts-expect-error a temperature is a number
  void client.chat({ model: 'alder/alder-mini', messages, temperature: '1' });
  // @ts-expect-error unknown role
  void client.chat({ model: 'alder/alder-mini', messages: [{ role: 'developer', content: 'ping' }] });
  // @ts-expect-error a tool message names the call that it answers
  void client.chat({ model: 'alder/alder-mini', messages: [{ role: 'tool', content: '{}' }] });
  const search = { type: 'search', function: { name: 'x' } } as const;
  // @ts-expect-error a tool is a function
  void client.chat({ model: 'alder/alder-mini', messages, tools: [search] });
  // @ts-expect-error a prompt is one string
  void client.complete({ model: 'alder/alder-mini', prompt: ['ping'] });
  // @ts-expect-error messages belong to the other endpoint
  void client.complete({ model: 'alder/alder-mini', messages });
  // @ts-expect-error there are three settlement types
  void client.chat({ model: 'alder/alder-mini', messages }, { settlementType: 'public' });
}

export function options(): void {
  const signer = Wallet.createRandom();
  createPayingFetch({ signer, rules });
  createClient({ baseUrl: 'http://127.0.0.1', signer, rules, fetch: globalThis.fetch });
  // @ts-expect-error rules are required
  createPayingFetch({ signer });
  // @ts-expect-error money is a bigint
  createPayingFetch({ signer, rules: { amountPerRequestMax: 1, amountTotalMax: 1n } });
  // @ts-expect-error an unknown rule would not be enforced
  createPayingFetch({ signer, rules: { ...rules, maxPerDay: 1n } });
}

export function results(result: PaidResult<{ readonly text: string }>): void {
  // @ts-expect-error only the kind completion has a completion
  void result.completion;
  if (result.kind === 'completion') expectTypeOf(result.completion.text).toEqualTypeOf<string>();
  // @ts-expect-error the kind network has no status
  if (result.kind === 'network') void result.status;
  if (result.payment.state === 'settled') expectTypeOf(result.payment.receipt.txHash).toEqualTypeOf<string>();
  // @ts-expect-error only a settled payment has a receipt
  if (result.payment.state === 'released') void result.payment.receipt;
}
