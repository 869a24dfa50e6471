import { endpoints } from '@paid-inference/contract/constants';
import type { Level } from '@paid-inference/contract/requirements';
import { ChatCompletionRequest, CompletionRequest, type Validate } from '@paid-inference/contract/validators';

/**
 * Whether the contract allows a body. The claim is proven on the bytes that are sent, so that a fault of the
 * suite cannot fail a target. `beyondSchema` gives the reason why the contract forbids a body that its schema
 * allows. `open` means that the contract does not say, even if a decision put it into the schema.
 */
export type Claim = 'valid' | 'invalid' | 'open' | { readonly beyondSchema: string };

export type Claimed = {
  readonly path: string;
  readonly method: string;
  readonly text: string | undefined;
  readonly claim: Claim;
  /** Level of the requirement for which the request is sent. */
  readonly level: Level;
};

const validators: ReadonlyMap<string, Validate<unknown>> = new Map<string, Validate<unknown>>([
  [endpoints.createChatCompletion.path, ChatCompletionRequest],
  [endpoints.createCompletion.path, CompletionRequest],
]);

/**
 * Throws if a request to a paid endpoint does not match its claim: that is a fault of the suite. Other paths
 * and methods have no schema. An `open` request may serve OBSERVED requirements only.
 */
export function proveClaim({ path, method, text, claim, level }: Claimed): void {
  const [endpoint = path] = path.split('?');
  const isValid = validators.get(endpoint);
  if (!isValid || method !== 'POST') return;
  if (claim === 'open') {
    if (level === 'OBSERVED') return;
    throw new Error(`a ${level} requirement uses a body for ${path} that the contract leaves open`);
  }
  const isProvenValid = isValid(parsed(text));
  if (claim === 'valid' && !isProvenValid)
    throw new Error(`the suite made an invalid body for ${path}, but claims that it is valid`);
  if (claim === 'invalid' && isProvenValid)
    throw new Error(`the suite made a valid body for ${path}, but claims that it is invalid`);
  if (typeof claim === 'object' && !isProvenValid) {
    throw new Error(
      `the suite claims that the schema allows its body for ${path}, but the schema forbids it`,
    );
  }
}

/** Returns undefined for text that is no JSON. The schemas reject undefined. */
function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
