import { type ErrorCode, errorTable } from '@paid-inference/contract/errors';
import { expect, test } from 'vitest';
import { errorBody, errorReply } from './reply.ts';

test.each(Object.keys(errorTable) as ErrorCode[])('§7: %s has the status and the type of its row', (code) => {
  const { status, type } = errorTable[code];
  const body = { error: { message: 'Say what to change.', type, code, param: null } };
  expect(errorReply(code, 'Say what to change.')).toEqual({ status, headers: {}, body });
  expect(errorBody(code, 'Say what to change.')).toEqual(body);
});

test('An error has param and Retry-After when they are given', () => {
  const reply = errorReply('rate_limited', 'Wait.', { param: 'messages[0]', retryAfterSeconds: 3 });
  expect(reply).toMatchObject({ headers: { 'Retry-After': 3 }, body: { error: { param: 'messages[0]' } } });
  expect(errorReply('rate_limited', 'Wait.', { retryAfterSeconds: 0 }).headers).toEqual({ 'Retry-After': 0 });
});
