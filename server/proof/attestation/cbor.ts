import { type DecodeOptions, decode, type Token, Tokenizer, Type } from 'cborg';
import { depthMax } from './byte-cursor.ts';

/** A value of a Nitro attestation document. Maps have keys of text or of numbers. */
export type Cbor = number | boolean | null | string | Uint8Array | readonly Cbor[] | ReadonlyMap<Cbor, Cbor>;

const options: DecodeOptions = {
  useMaps: true,
  rejectDuplicateMapKeys: true,
  allowIndefinite: false,
  allowUndefined: false,
  allowBigInt: false,
};

/**
 * Reads one value of CBOR (RFC 8949), limited to the part that COSE_Sign1 and the Nitro document use: integers,
 * strings, arrays, maps, tags, null and booleans, all of definite length. Null for everything else, and for
 * trailing bytes.
 */
export function readCbor(bytes: Uint8Array): { readonly value: Cbor } | null {
  try {
    return { value: decode(bytes, { ...options, tokenizer: strictTokenizer(bytes) }) };
  } catch {
    return null;
  }
}

/** Rejects floats and deep nesting, which cborg accepts, and skips tags, which cborg rejects. */
function strictTokenizer(bytes: Uint8Array) {
  const tokenizer = new Tokenizer(bytes, options);
  /** The count of values that each open list, map or tag still lacks. */
  const missing: number[] = [];

  function next(): Token {
    while (missing.at(-1) === 0) missing.pop();
    if (missing.length > depthMax) throw new Error('nested too deeply');
    const left = missing.pop();
    if (left !== undefined) missing.push(left - 1);
    const token = tokenizer.next();
    if (Type.equals(token.type, Type.float)) throw new Error('a float');
    if (Type.equals(token.type, Type.array)) missing.push(token.value);
    if (Type.equals(token.type, Type.map)) missing.push(2 * token.value);
    if (!Type.equals(token.type, Type.tag)) return token;
    // A tag describes the next value. The gateway needs only the value, also for the tag of COSE_Sign1 (18).
    missing.push(1);
    return next();
  }

  return { next, done: () => tokenizer.done(), pos: () => tokenizer.pos() };
}
