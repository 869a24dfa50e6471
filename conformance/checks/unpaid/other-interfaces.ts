const said = 'Say pong.';

/** Paths of other interfaces for models, with the members that they require beside those of a chat (D-216). */
export const otherInterfaces: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  '/v1/responses': { input: said },
  '/v1/messages': { max_tokens: 16 },
  '/v1/complete': { prompt: said },
  '/v1/chat': { message: said },
  '/v1/engines/davinci/completions': { prompt: said },
  '/v1beta/models/gemini-2.5-flash:generateContent': { contents: [{ parts: [{ text: said }] }] },
  '/openai/deployments/gpt-4o/chat/completions': {},
  '/api/chat': { stream: false },
  '/api/generate': { prompt: said, stream: false },
  '/generate': { inputs: said },
  '/invocations': {},
};
