import { type StreamEdit, streaming } from '../streaming.ts';
import { isObject, type Json, withJson } from '../wire-edits.ts';
import { type LegalVariant, open } from './variant.ts';

function streams(id: string, does: string, edit?: StreamEdit): LegalVariant {
  return { id: `streams-${id}`, does, open: open.otherEndpoints, edge: streaming(edit) };
}

function withEmptyReasons(choices: unknown): readonly Json[] {
  const all = Array.isArray(choices) ? choices.filter(isObject) : [];
  return all.map((choice) => ({ ...choice, finish_reason: choice['finish_reason'] ?? '' }));
}

/** Makes an offer for a stream, and refuses its body beside the payment (D-203, D-453). */
function refusing(status: number): LegalVariant {
  const error = { message: 'No streams.', type: 'invalid_request_error', code: 'invalid_request' };
  return streams(`refused-when-paid-as-${status}`, `returns ${status} for a paid request for a stream`, {
    reply: (reply) =>
      withJson({ ...reply, status, headers: { 'Content-Type': 'application/json' } }, { error }),
  });
}

/** Gateways that stream a completion if a request asks for it. */
export const streamVariants: readonly LegalVariant[] = [
  streams('chunks', 'streams a completion in chunks for `stream: true`'),
  streams('with-comments', 'streams with comments, names of events, and CRLF as line ends', {
    text: (text) =>
      `: wait\n\n${text.replaceAll('data: ', 'event: message\nid: 1\ndata:')}`.replaceAll('\n', '\r\n'),
  }),
  streams('without-usage', 'streams without the usage', {
    chunks: (chunks) => chunks.slice(0, -1).map(({ usage: _, ...chunk }) => chunk),
  }),
  streams('with-empty-reasons', 'streams with an empty `finish_reason` in all chunks but the last one', {
    chunks: (chunks) => chunks.map((chunk) => ({ ...chunk, choices: withEmptyReasons(chunk['choices']) })),
  }),
  streams(
    'with-filter-results',
    'begins its streams with a chunk of filter results, without `id` and choices',
    {
      chunks: (chunks) => [
        {
          id: '',
          object: '',
          created: 0,
          model: '',
          choices: [],
          prompt_filter_results: [{ prompt_index: 0 }],
        },
        ...chunks,
      ],
    },
  ),
  streams('with-cr', 'ends the lines of its streams with CR, and the last one with nothing', {
    text: (text) => text.trimEnd().replaceAll('\n', '\r'),
  }),
  streams('over-several-lines', 'writes each chunk over several `data` lines', {
    text: (text) =>
      text.replace(/^data: (\{.*)$/gm, (_, chunk: string) =>
        JSON.stringify(JSON.parse(chunk), null, 1).replace(/^/gm, 'data: '),
      ),
  }),
  refusing(400),
  refusing(422),
  streams('as-lines', 'streams lines of JSON, which is a form of its own', {
    text: (text) => text.replaceAll('data: ', '').replaceAll('\n\n', '\n'),
    reply: (reply) => ({ ...reply, headers: { ...reply.headers, 'Content-Type': 'application/x-ndjson' } }),
  }),
];
