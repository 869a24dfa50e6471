import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';

export type Decoded =
  | { readonly ok: true; readonly bytes: Buffer }
  | { readonly ok: false; readonly fault: string; readonly isTooLong: boolean };

type Decoder = (bytes: Buffer, limits: { readonly maxOutputLength: number }) => Buffer;

/** Content codings of HTTP (RFC 9110 §8.4.1), and Brotli, which all browsers support. */
const decoders: Readonly<Record<string, Decoder>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  br: brotliDecompressSync,
  deflate: inflate,
};

/**
 * Decodes a body according to its `Content-Encoding`, with a limit of `bytesMax` bytes after each step. An
 * unknown coding leaves the bytes unchanged, and the JSON parser then rejects them.
 */
export function decoded(bytes: Buffer, codings: string | undefined, bytesMax: number): Decoded {
  const names = (codings ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  let body = bytes;
  // The header names the codings in the order of encoding. An empty body needs no decoding.
  for (const name of names.reverse()) {
    const decode = Object.hasOwn(decoders, name) ? decoders[name] : undefined;
    if (!decode || body.length === 0) continue;
    try {
      body = decode(body, { maxOutputLength: bytesMax });
    } catch (error) {
      const isTooLong = error instanceof RangeError;
      return {
        ok: false,
        isTooLong,
        fault: isTooLong
          ? `the response is longer than ${bytesMax} bytes`
          : `the body is not ${name}, although Content-Encoding says so`,
      };
    }
  }
  return { ok: true, bytes: body };
}

/** Decodes deflate with the zlib header of RFC 9110, or without it, as many servers send it. */
function inflate(bytes: Buffer, limits: { readonly maxOutputLength: number }): Buffer {
  const [first = 0] = bytes;
  // In a zlib header, 8 in the low half of the first byte means deflate.
  return (first & 0x0f) === 8 ? inflateSync(bytes, limits) : inflateRawSync(bytes, limits);
}
