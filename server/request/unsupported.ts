import type { InvalidRequest } from '../http/param.ts';

/**
 * Fields of the OpenAI interface that change the product. A gateway that ignored one would sell something else
 * (D-09).
 */
const unsupported = Object.entries<{ readonly harmless: readonly unknown[]; readonly instead: string }>({
  stream: { harmless: [false, null], instead: 'streaming is not supported; leave stream out' },
  n: { harmless: [1, null], instead: 'one completion is sold for each request; leave n out or set it to 1' },
  best_of: {
    harmless: [1, null],
    instead: 'one completion is sold for each request; leave best_of out or set it to 1',
  },
  logprobs: { harmless: [false, null], instead: 'logprobs are not supported; leave logprobs out' },
});

/** Finds the first field of a body that requests something unsupported. */
export function findUnsupported(body: Readonly<Record<string, unknown>>): InvalidRequest | null {
  for (const [field, { harmless, instead }] of unsupported) {
    if (Object.hasOwn(body, field) && !harmless.includes(body[field])) {
      return { param: field, message: `${field} must not be set: ${instead}.` };
    }
  }
  return null;
}
