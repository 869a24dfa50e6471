import { expect, it } from 'vitest';
import { openBook } from './book.ts';
import type { Seen } from './connections.ts';
import { createPatientClients } from './patient-clients.ts';

const served: Seen = { kind: 'response', status: 200, code: null, retryAfterSeconds: null };
const pending: Seen = { kind: 'response', status: 503, code: 'settlement_pending', retryAfterSeconds: 2 };
const lost: Seen = { kind: 'lost', why: 'ECONNRESET' };
const refused: Seen = { kind: 'response', status: 402, code: null, retryAfterSeconds: null };

/** A client whose requests get these responses in turn; the last one again and again. */
function clientOf(...responses: readonly Seen[]) {
  let nowMs = 0;
  const sent: string[] = [];
  let signed = 0;
  const book = openBook();
  const clients = createPatientClients({
    book,
    connections: {
      async send(request) {
        sent.push(request.toString());
        return responses[Math.min(sent.length, responses.length) - 1] ?? lost;
      },
    },
    nextPayment: () => ({ nonce: `nonce ${++signed}`, request: Buffer.from(`payment ${signed}`) }),
    pace: {
      nowMs: () => nowMs,
      wait: async (ms) => {
        nowMs += ms;
      },
    },
  });
  return { clients, sent, book };
}

it('sends the same payment again after Retry-After, until it has the completion', async () => {
  const { clients, sent, book } = clientOf(pending, lost, served);
  await clients.pay();
  expect(sent).toEqual(['payment 1', 'payment 1', 'payment 1']);
  expect([clients.served, clients.givenUp, clients.longestMs]).toEqual([1, 0, 2_500]);
  expect([[...book.served], book.unserved.size]).toEqual([['nonce 1'], 0]);
});

it('gives up after a refusal, and after a minute without a completion', async () => {
  const refusal = clientOf(refused);
  await refusal.clients.pay();
  expect([refusal.sent.length, refusal.clients.givenUp, refusal.book.unserved.size]).toEqual([1, 1, 1]);
  const waiting = clientOf(pending);
  await waiting.clients.pay();
  expect([waiting.sent.length, waiting.clients.givenUp]).toEqual([32, 1]);
});
