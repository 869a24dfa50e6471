import type { RequirementId } from '@paid-inference/contract/requirements';
import type { Mutant } from '../mutant.ts';
import { type StreamEdit, streaming } from '../streaming.ts';
import { isObject, type Json, objectIn, withHeader, withJson, withoutHeader } from '../wire-edits.ts';

const receipt = 'X-PAYMENT-RESPONSE';
const other = `0x${'00'.repeat(20)}`;

function streams(id: string, does: string, kills: readonly RequirementId[], edit: StreamEdit): Mutant {
  return { id: `stream-${id}`, does, kills, place: 'respond', edge: streaming(edit) };
}

/** Changes each chunk. */
const each = (change: (chunk: Json, index: number) => Json): StreamEdit => ({
  chunks: (chunks) => chunks.map(change),
});

/** Changes each choice of each chunk. */
const eachChoice = (change: (choice: Json) => Json): StreamEdit =>
  each((chunk) => ({
    ...chunk,
    choices: Array.isArray(chunk['choices']) ? chunk['choices'].filter(isObject).map(change) : [],
  }));

function asTexts(usage: Json): Json {
  return Object.fromEntries(Object.entries(usage).map(([name, count]) => [name, String(count)]));
}

const sent = (type: string, text: string): StreamEdit => ({
  reply: (reply) => withHeader({ ...reply, text }, 'Content-Type', type),
});

/** Refuses each paid stream with an error of §7, or an error like it (D-453). */
function refused(status: number, type: string, code: string, more: readonly RequirementId[] = []): Mutant {
  const headers = { 'Content-Type': 'application/json' };
  return streams(
    `refused-as-${status}`,
    `charges for each stream and returns ${status} ${code}`,
    ['conditions.paid', ...more],
    { reply: (reply) => withJson({ ...reply, status, headers }, { error: { message: 'No.', type, code } }) },
  );
}

/** Mutants of a gateway that streams (D-297, D-352). */
export const streamMutants: readonly Mutant[] = [
  streams('without-done', 'ends its streams without `[DONE]`', ['stream.end'], {
    text: (text) => text.replace('data: [DONE]\n\n', ''),
  }),
  streams('cut', 'ends its streams in the middle', ['stream.completion', 'stream.end'], {
    text: (text) => text.slice(0, text.length / 3),
  }),
  streams('done-too-early', 'sends `[DONE]` before the last two chunks of a stream too', ['stream.end'], {
    text: (text) => text.replace(/(?=(data: \{.*\n\n){2}data: \[DONE\])/, 'data: [DONE]\n\n'),
  }),
  ...Object.entries({ number: 42, object: { text: 'pong' }, list: [{ type: 'text', text: 'pong' }] }).map(
    ([word, text]) =>
      streams(`of-a-${word}`, `sends ${JSON.stringify(text)} as text of a stream`, ['stream.completion'], {
        ...eachChoice((choice) =>
          choice['text'] === undefined ? { ...choice, delta: { content: text } } : { ...choice, text },
        ),
      }),
  ),
  streams('with-usage-as-text', 'sends the numbers of the usage of a stream as text', ['stream.completion'], {
    ...each(({ usage, ...chunk }) => ({ ...chunk, usage: isObject(usage) ? asTexts(usage) : usage })),
  }),
  streams('after-its-reason', 'sends text of a stream after its `finish_reason`', ['stream.completion'], {
    chunks: ([first, second, reason, ...others]) => [first, reason, second, ...others].filter(isObject),
  }),
  streams('with-the-reason-in-each-chunk', 'sends a `finish_reason` in each chunk', ['stream.completion'], {
    ...eachChoice((choice) => ({ ...choice, finish_reason: 'stop' })),
  }),
  streams('of-two-ids', 'gives each chunk of a stream its own id', ['stream.completion'], {
    ...each((chunk, index) => ({ ...chunk, id: `${chunk['id']}-${index}` })),
  }),
  streams('of-whole-objects', 'names each chunk of a stream a completion', ['stream.completion'], {
    ...each((chunk) => ({ ...chunk, object: 'completion' })),
  }),
  streams('without-reason', 'ends its streams without a `finish_reason`', ['stream.completion'], {
    chunks: (chunks) => chunks.filter(({ choices }) => JSON.stringify(choices).includes('null')),
  }),
  streams('with-error', 'sends an error as the last chunk of a stream', ['stream.completion'], {
    chunks: (chunks) => [
      ...chunks,
      { error: { message: 'failed', type: 'server_error', code: 'internal_error' } },
    ],
  }),
  streams('without-model', 'omits the model from the chunks of a stream', ['stream.completion'], {
    ...each(({ model: _, ...chunk }) => chunk),
  }),
  refused(401, 'authentication_error', 'invalid_signature'),
  refused(402, 'payment_error', 'insufficient_funds'),
  refused(404, 'invalid_request_error', 'not_found'),
  refused(500, 'server_error', 'internal_error', ['error.none-5xx']),
  streams('as-page', 'sends a page for each paid stream', ['served.content-type', 'served.body'], {
    ...sent('text/html', '<html></html>'),
  }),
  streams(
    'as-nothing',
    'sends an empty body of bytes for each paid stream',
    ['served.content-type', 'served.body'],
    {
      ...sent('application/octet-stream', ''),
    },
  ),
  streams('without-receipt', 'omits the receipt of a stream', ['served.receipt'], {
    reply: (reply) => withoutHeader(reply, receipt),
  }),
  streams(
    'with-the-receipt-of-another-payer',
    'names another payer in the receipt of a stream',
    ['served.receipt'],
    {
      reply(reply) {
        const value = objectIn(reply.headers[receipt]);
        const changed = Buffer.from(JSON.stringify({ ...value, payer: other })).toString('base64');
        return isObject(value) ? withHeader(reply, receipt, changed) : reply;
      },
    },
  ),
];
