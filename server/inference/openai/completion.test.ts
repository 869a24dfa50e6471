import { describe, expect, test } from 'vitest';
import {
  chat,
  chatCompletion,
  inferFrom,
  lookTool,
  pour,
  secretCompletion,
  text,
  textCompletion,
  typed,
  usage,
} from '../../testing/inference/exchange.ts';
import { type Behaviour, json } from '../../testing/inference/fake-upstream.ts';

describe('a response with known deviations of servers is accepted', () => {
  test('drops fields that are not in the contract', async () => {
    const completion = chatCompletion(
      { content: 'Hi.', refusal: null, reasoning: 'because' },
      { logprobs: null },
    );
    const inferred = await inferFrom(json({ ...completion, system_fingerprint: 'x' }), chat());
    expect(inferred).toMatchObject({ ok: true, value: { message: { role: 'assistant', content: 'Hi.' } } });
    expect(JSON.stringify(inferred)).not.toMatch(/refusal|reasoning|logprobs|fingerprint/);
  });

  test.each([null, []])('reads tool_calls %j as no calls', async (calls) => {
    const inferred = await inferFrom(json(chatCompletion({ content: 'Hi.', tool_calls: calls })), chat());
    expect(inferred).toMatchObject({ ok: true, value: { message: { content: 'Hi.' } } });
    expect(JSON.stringify(inferred)).not.toContain('tool_calls');
  });

  test('counts missing usage', async () => {
    const { usage: _, ...completion } = chatCompletion({ content: 'one two three' });
    const inferred = await inferFrom(json(completion), chat());
    expect(inferred).toMatchObject({
      value: { usage: { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 } },
    });
  });

  test('corrects a wrong total_tokens', async () => {
    const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 99 };
    const inferred = await inferFrom(json({ ...textCompletion('x'), usage }), text());
    expect(inferred).toMatchObject({ value: { usage: { total_tokens: 10 } } });
  });

  test('cuts at the earliest stop sequence in the text', async () => {
    const completion = json(chatCompletion({ content: 'one END two STOP' }, { finish_reason: 'length' }));
    const inferred = await inferFrom(completion, chat({ stop: ['STOP', 'END'] }));
    expect(inferred).toMatchObject({ value: { message: { content: 'one ' }, finishReason: 'stop' } });
    const prompted = await inferFrom(json(textCompletion('a,b,c')), text({ stop: [',c', ','] }));
    expect(prompted).toMatchObject({ value: { text: 'a', finishReason: 'stop' } });
  });

  test('returns calls of offered tools', async () => {
    const call = { id: 'call_9', type: 'function', function: { name: 'look', arguments: '{"far":true}' } };
    const completion = json(
      chatCompletion({ content: null, tool_calls: [{ ...call, index: 0 }] }, { finish_reason: 'tool_calls' }),
    );
    expect(
      await inferFrom(completion, chat({ tools: [lookTool], toolChoice: { mode: 'auto' } })),
    ).toMatchObject({
      value: {
        message: { role: 'assistant', content: null, tool_calls: [call] },
        finishReason: 'tool_calls',
      },
    });
  });

  test('ends with stop where the upstream names calls and sends none (§2.6)', async () => {
    for (const calls of [{}, { tool_calls: [] }]) {
      const completion = json(chatCompletion({ content: 'x', ...calls }, { finish_reason: 'tool_calls' }));
      const inferred = await inferFrom(completion, chat());
      expect(inferred).toMatchObject({ value: { message: { content: 'x' }, finishReason: 'stop' } });
    }
  });

  test('replaces half a surrogate pair, which has no canonical form', async () => {
    const completion = json(textCompletion('bad \ud800 half'));
    expect(await inferFrom(completion, text())).toMatchObject({ value: { text: 'bad \ufffd half' } });
  });
});

const goodCall = { id: 'c', type: 'function', function: { name: 'look', arguments: '{}' } };

describe('any other response is a fault whose detail has no part of prompt, response or key', () => {
  test.each<[string, Behaviour, RegExp]>([
    ['invalid JSON', (response) => typed(response).end(`{${secretCompletion}`), /not JSON/],
    [
      'HTML',
      (response) => typed(response, 'text/html').end(`<p>${secretCompletion}</p>`),
      /200 with something other than JSON/,
    ],
    ['no content type', (response) => response.writeHead(200).end('{}'), /something other than JSON/],
    ['an empty object', json({}), /breaks the contract at its top/],
    ['null', json(null), /breaks the contract/],
    ['no choices', json({ ...chatCompletion({}), choices: [] }), /breaks the contract at \/choices/],
    [
      'choices of another shape',
      json({ ...chatCompletion({}), choices: secretCompletion }),
      /breaks the contract at \/choices/,
    ],
    ['a text completion for a chat', json(textCompletion(secretCompletion)), /breaks the contract/],
    [
      'content that is not text',
      json(chatCompletion({ content: [secretCompletion] })),
      /breaks the contract/,
    ],
    ['no content', json(chatCompletion({ content: null })), /neither text nor tool calls/],
    [
      'a call of a tool that was not offered',
      json(chatCompletion({ content: null, tool_calls: [goodCall] })),
      /not offered/,
    ],
    [
      'more than max_tokens',
      json({ ...chatCompletion({ content: secretCompletion }), usage: usage(21) }),
      /longer than max_tokens/,
    ],
    [
      'much more than max_tokens and no usage',
      json({ ...chatCompletion({ content: 'word '.repeat(50) }), usage: null }),
      /longer than max_tokens/,
    ],
    [
      'an error in the choice',
      json({
        ...chatCompletion({}),
        choices: [{ index: 0, message: { role: 'assistant', content: '' }, error: { code: 502 } }],
      }),
      /reported an error in its response/,
    ],
    [
      'the end of an error',
      json({
        ...chatCompletion({}),
        choices: [
          { index: 0, message: { role: 'assistant', content: secretCompletion }, finish_reason: 'error' },
        ],
      }),
      /reported an error in its response/,
    ],
    ['a redirect', (response) => response.writeHead(302, { location: '/elsewhere' }).end(), /responded 302/],
    ['401', json({ error: { message: secretCompletion } }, 401), /responded 401 with JSON/],
    ['500', json({ error: { message: secretCompletion } }, 500), /responded 500/],
    [
      'a connection that closes before the response',
      (response) => response.destroy(),
      /connection to the upstream broke \(/,
    ],
    [
      'bytes that are no HTTP',
      (response) => void response.socket?.end(`SSH-2.0-${secretCompletion}\r\n`),
      /response of the upstream is not valid HTTP/,
    ],
    [
      'a chunk without a size',
      (response) => {
        typed(response).flushHeaders();
        response.socket?.end(`${secretCompletion}\r\n`);
      },
      /response of the upstream is not valid HTTP/,
    ],
    [
      'a connection that closes during the response',
      (response) => {
        typed(response).write('{"id":"x","choices":[{');
        response.write(secretCompletion, () => response.destroy());
      },
      /connection to the upstream broke \(/,
    ],
    [
      'an oversized response',
      (response) => typed(response).end(`"${secretCompletion.repeat(3_000)}"`),
      /larger than 65536 bytes/,
    ],
    ['an endless response', (response) => pour(typed(response)), /larger than 65536 bytes/],
    ['an endless error', (response) => pour(response.writeHead(500)), /responded 500/],
  ])('%s', async (_, behaviour, detail) => {
    const inferred = await inferFrom(behaviour, chat());
    expect(inferred).toMatchObject({
      ok: false,
      fault: { kind: 'failed', detail: expect.stringMatching(detail) },
    });
    expect(JSON.stringify(inferred)).not.toMatch(/must not be told|127\.0\.0\.1/);
  });

  test('a call with truncated arguments', async () => {
    const cut = { ...goodCall, function: { name: 'look', arguments: '{"far":' } };
    const completion = json(
      chatCompletion({ content: null, tool_calls: [cut] }, { finish_reason: 'length' }),
    );
    const inferred = await inferFrom(completion, chat({ tools: [lookTool], toolChoice: { mode: 'auto' } }));
    expect(inferred).toMatchObject({
      ok: false,
      fault: { kind: 'failed', detail: expect.stringMatching(/not JSON/) },
    });
  });

  const hearTool = { type: 'function', function: { name: 'hear' } } as const;
  test.each([
    ['required', { mode: 'required' }],
    ['a specific tool', { mode: 'specific', name: 'look' }],
  ] as const)('a text although tool_choice is %s', async (_, toolChoice) => {
    const task = chat({ tools: [lookTool, hearTool], toolChoice });
    const detail = 'the response has no tool call, but the task requires one';
    const written = json(chatCompletion({ content: secretCompletion }));
    const fault = { kind: 'failed', detail, isOfRequest: true };
    expect(await inferFrom(written, task)).toEqual({ ok: false, fault });
    const named = json(chatCompletion({ content: 'I look' }, { finish_reason: 'tool_calls' }));
    expect(await inferFrom(named, task)).toEqual({ ok: false, fault });
    const cut = json(chatCompletion({ content: 'I look' }, { finish_reason: 'length' }));
    expect(await inferFrom(cut, task)).toMatchObject({ ok: true });
    expect(await inferFrom(written, { ...task, stop: ['STOP'] })).toMatchObject({ ok: true });
  });

  test('a call of another tool than the specific one', async () => {
    const completion = json(chatCompletion({ content: null, tool_calls: [goodCall] }));
    const tools = [lookTool, hearTool];
    const hear = await inferFrom(completion, chat({ tools, toolChoice: { mode: 'specific', name: 'hear' } }));
    expect(hear).toMatchObject({ ok: false, fault: { detail: expect.stringMatching(/not offered/) } });
    const look = await inferFrom(completion, chat({ tools, toolChoice: { mode: 'specific', name: 'look' } }));
    expect(look).toMatchObject({ ok: true });
  });

  test('a call although tool_choice is none', async () => {
    const completion = json(chatCompletion({ content: null, tool_calls: [goodCall] }));
    const inferred = await inferFrom(completion, chat({ tools: [lookTool] }));
    expect(inferred).toMatchObject({ ok: false, fault: { detail: expect.stringMatching(/not offered/) } });
  });
});
