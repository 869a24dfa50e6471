import { isDeepStrictEqual } from 'node:util';
import type { InvalidRequest } from '../http/param.ts';

type Rule = { readonly harmless: readonly unknown[]; readonly instead: string };

const oneCompletion: Rule = { harmless: [1], instead: 'one completion is sold for each request' };
const noLogprobs = { instead: 'logprobs are not supported' };

/**
 * Fields of the OpenAI interface that change the product, in which the gateway sells nothing. A gateway that
 * ignored one would sell something else (D-09).
 */
const unsupported: Readonly<Record<string, Rule>> = {
  n: oneCompletion,
  best_of: oneCompletion,
  logprobs: { ...noLogprobs, harmless: [false] },
  top_logprobs: { ...noLogprobs, harmless: [0] },
  functions: { harmless: [[]], instead: 'use tools' },
  function_call: { harmless: ['none', 'auto'], instead: 'use tool_choice' },
  modalities: { harmless: [['text']], instead: 'only text is sold' },
  web_search_options: { harmless: [], instead: 'the models search nothing' },
  echo: { harmless: [false], instead: 'a completion does not repeat its prompt' },
  suffix: { harmless: [''], instead: 'a completion follows its prompt' },
};

/** Only chats have forms. */
const unsupportedText: typeof unsupported = {
  ...unsupported,
  response_format: { harmless: [{ type: 'text' }], instead: 'use /v1/chat/completions' },
};

/** Finds the first field of a body that requests something unsupported. */
export function findUnsupported(
  body: Readonly<Record<string, unknown>>,
  kind: 'chat' | 'text',
): InvalidRequest | null {
  for (const [field, { harmless, instead }] of Object.entries(
    kind === 'chat' ? unsupported : unsupportedText,
  )) {
    if (!Object.hasOwn(body, field) || harmless.some((value) => isDeepStrictEqual(value, body[field])))
      continue;
    return { param: field, message: `${field} must not be set: ${instead}; leave ${field} out.` };
  }
  return null;
}
