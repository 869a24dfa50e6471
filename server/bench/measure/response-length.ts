/**
 * Length of the first response with its head; null while that is unknown because bytes are missing. Throws for a
 * response that only the end of its connection would end.
 */
export function responseLength(bytes: Buffer): number | null {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return null;
  const head = bytes.toString('latin1', 0, end);
  const bodyAt = end + 4;
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length !== undefined) return bodyAt + Number(length);
  if (/\r\ntransfer-encoding: *chunked/i.test(head)) return chunkedEnd(bytes, bodyAt);
  throw new Error(`a response has neither a length nor chunks:\n${head}`);
}

/** The end of the last chunk, which is empty. No server of the benchmark sends trailers. */
function chunkedEnd(bytes: Buffer, bodyAt: number): number | null {
  for (let at = bodyAt; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd === -1) return null;
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    at = lineEnd + 2 + size + 2;
    if (size === 0) return at;
    if (at > bytes.length) return null;
  }
}
