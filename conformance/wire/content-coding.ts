import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';

export type Decoded =
  | { readonly ok: true; readonly bytes: Buffer }
  | { readonly ok: false; readonly fault: string; readonly isTooLong: boolean };

type Decoder = (bytes: Buffer, limits: { readonly maxOutputLength: number }) => Buffer;

/** Codings of HTTP (RFC 9110, 8.4.1) and the one that all browsers know besides. */
const decoders: Readonly<Record<string, Decoder>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  br: brotliDecompressSync,
  deflate: inflate,
};

/**
 * The body as it was before its `Content-Encoding`, of `bytesMax` bytes at most after each step. A coding that is not known
 * leaves the bytes as they are: whoever reads them finds no JSON.
 */
export function decoded(bytes: Buffer, codings: string | undefined, bytesMax: number): Decoded {
  const names = (codings ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  let body = bytes;
  // Named in the order in which they were applied. Without a body there is nothing to undo.
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
          ? `an answer of more than ${bytesMax} bytes`
          : `the body is not ${name}, as its header says`,
      };
    }
  }
  return { ok: true, bytes: body };
}

/** With the frame that RFC 9110 asks for, or without, as many send it. */
function inflate(bytes: Buffer, limits: { readonly maxOutputLength: number }): Buffer {
  const [first = 0] = bytes;
  // 8 in the low half of the first byte is the frame's word for deflate.
  return (first & 0x0f) === 8 ? inflateSync(bytes, limits) : inflateRawSync(bytes, limits);
}
