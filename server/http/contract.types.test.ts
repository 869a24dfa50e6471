import { endpoints, headerNames } from '@paid-inference/contract/constants';
import { errorTable } from '@paid-inference/contract/errors';
import document from '@paid-inference/contract/openapi.json' with { type: 'json' };
import type { ChatCompletion } from '@paid-inference/contract/types';
import * as validators from '@paid-inference/contract/validators';
import { describe, expect, it } from 'vitest';
import { createHandlers } from '../request/handlers.ts';
import type { Handlers, OperationId, Operations, Reply } from './contract.ts';
import { errorBody } from './reply.ts';

// Code that must not compile follows `@ts-expect-error`: `tsc` fails on such a line once it compiles. Each test
// also asks the run-time validator, so that types and validators stay in agreement.

type ChatReply = Reply<Operations['createChatCompletion']>;
type Headers = Extract<ChatReply, { status: 200 }>['headers'];

const completion: ChatCompletion = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_700_000_000,
  model: 'alder/alder-mini',
  choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};
const headers: Headers = { 'X-PAYMENT-RESPONSE': 'e30=' };
const responses: Record<string, { headers?: Record<string, { required?: boolean }> }> =
  document.paths['/v1/chat/completions'].post.responses;

describe('A set of handlers', () => {
  const handlers = createHandlers({
    models: new Map(),
    terms: {},
    attester: { boot: {} },
  } as unknown as Parameters<typeof createHandlers>[0]);

  it('has one handler for each operation of the contract, and no other', () => {
    expect(Object.keys(handlers).toSorted()).toEqual(Object.keys(endpoints).toSorted());
  });

  it('does not compile without a handler', () => {
    const { getProof: _left, ...rest } = handlers;
    // @ts-expect-error getProof is missing
    const incomplete: Handlers = rest;
    expect(incomplete).not.toHaveProperty('getProof');
  });

  it('does not compile with a handler for an unknown operation', () => {
    // @ts-expect-error there is no such operation
    const operation: OperationId = 'createImage';
    expect(endpoints).not.toHaveProperty(operation);
    const surplus: Handlers = {
      ...handlers,
      // @ts-expect-error there is no such operation
      createImage: handlers.getHealth,
    };
    expect(endpoints).not.toHaveProperty(Object.keys(surplus).at(-1) ?? '');
  });
});

describe('A reply', () => {
  it('compiles and is valid when it follows the contract', () => {
    const reply: ChatReply = { status: 200, headers, body: completion };
    expect(validators.ChatCompletion(reply.body)).toBe(true);
  });

  it('does not compile with a status that is not declared', () => {
    // @ts-expect-error 418 is not declared
    const reply: ChatReply = { status: 418, headers: {}, body: errorBody('invalid_request', 'x') };
    expect(responses).not.toHaveProperty(String(reply.status));
  });

  it('does not compile with another literal in its body', () => {
    // @ts-expect-error object must be chat.completion
    const body: ChatCompletion = { ...completion, object: 'text_completion' };
    expect(validators.ChatCompletion(body)).toBe(false);
  });

  it('does not compile with a field beyond the contract where the type is written out', () => {
    const body: ChatCompletion = {
      ...completion,
      // @ts-expect-error the contract has no such field
      system_fingerprint: 'fp_1',
    };
    expect(document.components.schemas.ChatCompletion.properties).not.toHaveProperty(
      Object.keys(body).at(-1) ?? '',
    );
    async function handler(): Promise<ChatReply> {
      // @ts-expect-error the same, in the return value of a handler (T6)
      return { status: 200, headers, body: { ...completion, system_fingerprint: 'fp_1' } };
    }
    return expect(handler()).resolves.toMatchObject({ status: 200 });
  });

  it('does not compile for a paid response without the receipt', () => {
    // @ts-expect-error X-PAYMENT-RESPONSE is missing
    const reply: ChatReply = { status: 200, headers: {}, body: completion };
    expect(reply.headers).not.toHaveProperty(headerNames.paymentResponse);
    expect(responses['200']?.headers?.[headerNames.paymentResponse]?.required).toBe(true);
  });

  it('does not compile with a misspelt header', () => {
    const misspelt: Headers = {
      ...headers,
      // @ts-expect-error the contract spells it X-PAYMENT-RESPONSE
      'X-PAYMENT-RECEIPT': 'e30=',
    };
    expect(responses['200']?.headers).not.toHaveProperty(Object.keys(misspelt).at(-1) ?? '');
  });

  it('does not compile with a code of another status', () => {
    const code = 'invalid_request';
    // @ts-expect-error invalid_request is 400
    const reply: ChatReply = { status: 401, headers: {}, body: errorBody(code, 'x') };
    expect(errorTable[code].status).not.toBe(reply.status);
    expect(validators.InvalidSignatureBody(reply.body)).toBe(false);
    const right: ChatReply = { status: 401, headers: {}, body: errorBody('invalid_signature', 'x') };
    expect(validators.InvalidSignatureBody(right.body)).toBe(true);
  });

  it('does not compile for 429 without Retry-After', () => {
    // @ts-expect-error Retry-After is missing
    const reply: ChatReply = { status: 429, headers: {}, body: errorBody('rate_limited', 'x') };
    expect(responses['429']?.headers?.[headerNames.retryAfterSeconds]?.required).toBe(true);
    expect(reply.status).toBe(errorTable.rate_limited.status);
  });
});
