import { createKeccak as createHasher } from 'hash-wasm';

/** The 32-byte Keccak-256 hash of some bytes, as Ethereum uses it (not the later SHA3-256). */
export type Keccak256 = (bytes: Uint8Array) => Uint8Array;

/**
 * Makes the hash function once, at start-up: WebAssembly is compiled asynchronously, and the same context is then
 * used again for every hash, which is what makes it some fifteen times faster than hashing in JavaScript. Calls are
 * synchronous, so that one context is enough for a thread.
 */
export async function createKeccak(): Promise<Keccak256> {
  const hasher = await createHasher(256);
  return (bytes) => hasher.init().update(bytes).digest('binary');
}
