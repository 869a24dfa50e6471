import type { InferenceProof, SavedExchange } from '@paid-inference/contract/types';
import canonicalize from 'canonicalize';
import { id, keccak256, toUtf8Bytes } from 'ethers';
import { type Finding, fails, holds } from './finding.ts';
import { isSameHex, short } from './hex.ts';
import { repeatedNameIn } from './repeated-name.ts';

/**
 * Whether request and response match the proof: keccak256 of the canonical JSON of their bodies (RFC 8785,
 * D-29), and of the model's name.
 */
export function checkHashes({ request, response }: SavedExchange, proof: InferenceProof): Finding {
  const [sent, received] = [parse(request.body), parse(response.body)];
  const [inputHash, outputHash] = [canonicalHash(sent), canonicalHash(received)];
  if (inputHash === null) return fails("the request's body has no canonical JSON, so no proof can match it");
  if (outputHash === null)
    return fails("the response's body has no canonical JSON, so no proof can match it");
  for (const [whose, { body }] of [
    ['request', request],
    ['response', response],
  ] as const) {
    const name = repeatedNameIn(body);
    if (name !== null)
      return fails(
        `the ${whose} has the name ${JSON.stringify(name)} twice in one object, which canonical JSON forbids`,
      );
  }
  const isInput = isSameHex(inputHash, proof.inputHash);
  const isOutput = isSameHex(outputHash, proof.outputHash);
  if (!isInput && !isOutput) {
    return fails('the proof belongs to another exchange: neither request nor response matches it');
  }
  if (!isInput) return fails(differs('request', inputHash, proof.inputHash));
  if (!isOutput) return fails(differs('response', outputHash, proof.outputHash));
  const model = readModel(sent);
  if (model === null || !isSameHex(id(model), proof.modelHash)) {
    return fails('the proof is for another model than the request');
  }
  return holds(`request, response and model ${model} match the proof`);
}

function differs(what: string, here: string, proven: string): string {
  return `the ${what} is not the one of the proof: its hash is ${short(here)}, the proof has ${short(proven)}`;
}

/**
 * Null for invalid JSON and for values without a canonical form (a number such as 1e400, half of a surrogate
 * pair).
 */
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

function readModel(body: unknown): string | null {
  const model: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'model') : null;
  return typeof model === 'string' ? model : null;
}
