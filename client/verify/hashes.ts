import type { InferenceProof, SavedExchange } from '@paid-inference/contract/types';
import canonicalize from 'canonicalize';
import { id, keccak256, toUtf8Bytes } from 'ethers';
import { type Finding, fails, holds } from './finding.ts';
import { isSameHex, short } from './hex.ts';
import { repeatedNameIn } from './repeated-name.ts';

/**
 * Whether request and answer are those that were proven: keccak256 of the canonical JSON of their bodies (RFC 8785,
 * D-29), and of the model's name.
 */
export function checkHashes({ request, response }: SavedExchange, proof: InferenceProof): Finding {
  const [sent, received] = [parse(request.body), parse(response.body)];
  const [inputHash, outputHash] = [canonicalHash(sent), canonicalHash(received)];
  if (inputHash === null)
    return fails("the request's body has no canonical JSON, so nobody can have proven it");
  if (outputHash === null)
    return fails("the answer's body has no canonical JSON, so nobody can have proven it");
  for (const [whose, { body }] of [
    ['request', request],
    ['answer', response],
  ] as const) {
    const name = repeatedNameIn(body);
    if (name !== null)
      return fails(
        `the ${whose} has the name ${JSON.stringify(name)} twice in one object: no canonical JSON has`,
      );
  }
  const isInput = isSameHex(inputHash, proof.inputHash);
  const isOutput = isSameHex(outputHash, proof.outputHash);
  if (!isInput && !isOutput) {
    return fails(
      'neither the request nor the answer is what was proven: it is the proof of another exchange',
    );
  }
  if (!isInput) return fails(differs('request', inputHash, proof.inputHash));
  if (!isOutput) return fails(differs('answer', outputHash, proof.outputHash));
  const model = modelOf(sent);
  if (model === null || !isSameHex(id(model), proof.modelHash)) {
    return fails('the proof is of another model than the request names');
  }
  return holds(`the request, the answer and the model ${model} are those that were proven`);
}

function differs(what: string, here: string, proven: string): string {
  return `the ${what} is not the one that was proven: its hash is ${short(here)}, the proof says ${short(proven)}`;
}

/** Null for what is no JSON, and for what has no canonical form (a number such as 1e400, half of a surrogate pair). */
function canonicalHash(body: unknown): string | null {
  try {
    const text = canonicalize(body);
    return text === undefined ? null : keccak256(toUtf8Bytes(text));
  } catch {
    return null;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function modelOf(body: unknown): string | null {
  const model: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'model') : null;
  return typeof model === 'string' ? model : null;
}
