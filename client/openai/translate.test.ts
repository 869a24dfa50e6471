import { describe, expect, it } from 'vitest';
import { translateChat, translateText } from './translate.ts';

const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const text = (words: string) => ({ type: 'text', text: words });

function translated(messages: unknown): unknown {
  const translation = translateChat(encode({ model: 'm', messages, seed: 7 }));
  if (!translation.ok) return translation.fault;
  return JSON.parse(new TextDecoder().decode(translation.body));
}

describe('D-264: the client translates a chat that the contract refuses', () => {
  it.each<[name: string, sent: object, kept: object]>([
    [
      'the role developer',
      { role: 'developer', content: 'Be brief.' },
      { role: 'system', content: 'Be brief.' },
    ],
    ['one text part', { role: 'user', content: [text('Hi.')] }, { role: 'user', content: 'Hi.' }],
    [
      'several text parts',
      { role: 'user', name: 'ann', content: [text('Sum up:'), text('A long text.')] },
      { role: 'user', name: 'ann', content: 'Sum up:\nA long text.' },
    ],
    [
      'text parts of a developer',
      { role: 'developer', content: [{ ...text('Be brief.'), cache_control: {} }] },
      { role: 'system', content: 'Be brief.' },
    ],
    [
      'text parts of a tool result',
      { role: 'tool', tool_call_id: 'c', content: [text('{}')] },
      { role: 'tool', tool_call_id: 'c', content: '{}' },
    ],
  ])('%s', (_name, sent, kept) => {
    const user = { role: 'user', content: 'Hi.' };
    expect(translated([sent, user])).toEqual({ model: 'm', messages: [kept, user], seed: 7 });
  });

  it.each<[name: string, content: unknown[], param: string]>([
    [
      'an image',
      [text('What is this?'), { type: 'image_url', image_url: { url: 'data:' } }],
      'messages[1].content[1]',
    ],
    ['audio', [{ type: 'input_audio' }], 'messages[1].content[0]'],
    ['a refusal', [{ type: 'refusal', refusal: 'No.' }], 'messages[1].content[0]'],
    ['a text part without text', [{ type: 'text' }], 'messages[1].content[0]'],
    ['a string as a part', ['Hi.'], 'messages[1].content[0]'],
  ])('but not %s, and names the part', (_name, content, param) => {
    const fault = translated([
      { role: 'user', content: 'Hi.' },
      { role: 'user', content },
    ]);
    expect(fault).toMatchObject({ param, message: expect.stringContaining(param) });
  });

  it.each([
    {
      model: 'm',
      messages: [
        { role: 'user', content: 'Hi.' },
        { role: 'assistant', content: null, name: null },
      ],
    },
    { model: 'm', messages: [null, 'Hi.', { role: 'function' }] },
    { model: 'm', messages: 'Hi.' },
    [],
    'no object',
  ])('and sends %j as it is', (body) => {
    const bytes = encode(body);
    expect(translateChat(bytes)).toEqual({ ok: true, body: bytes });
    const noJson = new TextEncoder().encode('{"messages":');
    expect(translateChat(noJson)).toEqual({ ok: true, body: noJson });
  });
});

describe('D-264: the client translates a text completion', () => {
  const translatedText = (prompt: unknown): unknown => {
    const translation = translateText(encode({ model: 'm', prompt, seed: 7 }));
    return translation.ok ? JSON.parse(new TextDecoder().decode(translation.body)) : translation.fault;
  };

  it('with one prompt in a list', () => {
    expect(translatedText(['Once'])).toEqual({ model: 'm', prompt: 'Once', seed: 7 });
  });

  it.each([[[]], [['Once', 'Twice']], [[1, 2]], [[[1, 2]]]])('but not with the list %j', (prompt) => {
    expect(translatedText(prompt)).toMatchObject({
      param: 'prompt',
      message: expect.stringMatching(/^prompt /),
    });
  });

  it('and sends a prompt as it is', () => {
    const bytes = encode({ model: 'm', prompt: 'Once' });
    expect(translateText(bytes)).toEqual({ ok: true, body: bytes });
  });
});
