import { decodeInferenceProof, encodeInferenceProof } from '@paid-inference/contract/headers';
import type { InferenceProof, SavedExchange } from '@paid-inference/contract/types';
import type { Verification } from '../verify/verify-exchange.ts';

/** The proof in an exchange's header. */
export function proofOf({ response }: SavedExchange): InferenceProof {
  const decoded = decodeInferenceProof(response.headers['x-inference-proof'] ?? '');
  if (!decoded.ok) throw new Error(decoded.message);
  return decoded.value;
}

/** The same exchange with another proof, or with some of it changed. */
export function withProof(exchange: SavedExchange, change: Partial<InferenceProof>): SavedExchange {
  const header = encodeInferenceProof({ ...proofOf(exchange), ...change });
  return withAnswerHeader(exchange, 'x-inference-proof', header);
}

export function withAnswerHeader(exchange: SavedExchange, name: string, value: string): SavedExchange {
  const { response } = exchange;
  return { ...exchange, response: { ...response, headers: { ...response.headers, [name]: value } } };
}

/** Another last digit. */
export function changed(hex: string): string {
  return hex.slice(0, -1) + (hex.endsWith('1') ? '2' : '1');
}

/** The steps by their names, each with its verdict and sentence. */
export function told({ steps }: Verification): Record<string, string> {
  return Object.fromEntries(steps.map(({ step, verdict, sentence }) => [step, `${verdict}: ${sentence}`]));
}

/** The steps that are not true, by their names. */
export function faults(verification: Verification): Record<string, string> {
  return Object.fromEntries(
    Object.entries(told(verification)).filter(([, said]) => !said.startsWith('true')),
  );
}

/** The other form of the same signature, which ethers and no contract takes: `n - s`, and the other parity. */
export function highForm(signature: string): string {
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  const s = (order - BigInt(`0x${signature.slice(66, 130)}`)).toString(16).padStart(64, '0');
  return signature.slice(0, 66) + s + (signature.endsWith('1b') ? '1c' : '1b');
}
