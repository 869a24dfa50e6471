const said = 'Say pong.';

/** Paths of other interfaces for models, with the members that they require beside those of a chat (D-216). */
export const otherInterfaces: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  '/v1/responses': { input: said },
  '/v1/messages': { max_tokens: 16 },
  '/v1/engines/tester/completions': { prompt: said },
  '/openai/deployments/tester/chat/completions': {},
  '/api/chat': { stream: false },
  '/api/generate': { prompt: said, stream: false },
  '/generate': { inputs: said },
  '/invocations': {},
};
