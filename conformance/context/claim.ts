import { endpoints } from '@paid-inference/contract/constants';
import type { Level } from '@paid-inference/contract/requirements';
import { ChatCompletionRequest, CompletionRequest, type Validate } from '@paid-inference/contract/validators';

/**
 * What a body is by the contract. It is proven on the very bytes that are sent, so that nothing is held against a target
 * that we asked wrongly. `beyondSchema` gives the reason why the contract forbids what its schema allows; `open` is what
 * the contract does not speak of, whatever a decision has made of it in the schema.
 */
export type Claim = 'valid' | 'invalid' | 'open' | { readonly beyondSchema: string };

export type Claimed = {
  readonly path: string;
  readonly method: string;
  readonly text: string | undefined;
  readonly claim: Claim;
  /** Of the requirement for whose sake it is sent. */
  readonly level: Level;
};

const validators: ReadonlyMap<string, Validate<unknown>> = new Map<string, Validate<unknown>>([
  [endpoints.createChatCompletion.path, ChatCompletionRequest],
  [endpoints.createCompletion.path, CompletionRequest],
]);

/**
 * Throws where a request to a paid endpoint is not what it is claimed to be: a fault of this suite, whatever the target
 * would have answered. About other paths and methods the contract says nothing that could be proven. What is open decides
 * no demand: it is for requirements that are only observed.
 */
export function proveClaim({ path, method, text, claim, level }: Claimed): void {
  const [endpoint = path] = path.split('?');
  const isValid = validators.get(endpoint);
  if (!isValid || method !== 'POST') return;
  if (claim === 'open') {
    if (level === 'OBSERVED') return;
    throw new Error(`a ${level} must not rest on a body for ${path} that the contract leaves open`);
  }
  const isProvenValid = isValid(parsed(text));
  if (claim === 'valid' && !isProvenValid) throw new Error(`the suite made an invalid body for ${path}`);
  if (claim === 'invalid' && isProvenValid) throw new Error(`the suite's invalid body for ${path} is valid`);
  if (typeof claim === 'object' && !isProvenValid) {
    throw new Error(`a body for ${path} that is said to be beyond the schema is not: the schema forbids it`);
  }
}

/** Undefined is no JSON, and no body that the contract knows. */
function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
