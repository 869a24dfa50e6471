import { decodeInferenceProof, encodeInferenceProof } from '@paid-inference/contract/headers';
import type { InferenceProof, SavedExchange } from '@paid-inference/contract/types';
import type { Verification } from '../verify/verify-exchange.ts';

/** The proof in the header of an exchange. */
export function decodeProof({ response }: SavedExchange): InferenceProof {
  const decoded = decodeInferenceProof(response.headers['x-inference-proof'] ?? '');
  if (!decoded.ok) throw new Error(decoded.message);
  return decoded.value;
}

/** The same exchange with another proof or a changed one. */
export function withProof(exchange: SavedExchange, change: Partial<InferenceProof>): SavedExchange {
  const header = encodeInferenceProof({ ...decodeProof(exchange), ...change });
  return withResponseHeader(exchange, 'x-inference-proof', header);
}

export function withResponseHeader(exchange: SavedExchange, name: string, value: string): SavedExchange {
  const { response } = exchange;
  return { ...exchange, response: { ...response, headers: { ...response.headers, [name]: value } } };
}

/** Changes the last digit. */
export function changed(hex: string): string {
  return hex.slice(0, -1) + (hex.endsWith('1') ? '2' : '1');
}

/** Verdict and sentence of each step, by name. */
export function listSteps({ steps }: Verification): Record<string, string> {
  return Object.fromEntries(steps.map(({ step, verdict, sentence }) => [step, `${verdict}: ${sentence}`]));
}

/** The steps that are not true, by name. */
export function faults(verification: Verification): Record<string, string> {
  return Object.fromEntries(
    Object.entries(listSteps(verification)).filter(([, said]) => !said.startsWith('true')),
  );
}

/**
 * The other form of the same signature, `n - s` with the other parity. ethers accepts it, contracts reject it.
 */
export function highForm(signature: string): string {
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  const s = (order - BigInt(`0x${signature.slice(66, 130)}`)).toString(16).padStart(64, '0');
  return signature.slice(0, 66) + s + (signature.endsWith('1b') ? '1c' : '1b');
}
