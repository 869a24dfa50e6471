/** The error envelope of contract §7, with `param` of D-08. The set of codes is open (D-33). */
export type GatewayError = {
  readonly message: string;
  readonly type: string;
  readonly code: string;
  readonly param: string | null;
};

/** Reads the error envelope of a body. Returns null for any other body, such as a proxy's page. */
export function readGatewayError(text: string): GatewayError | null {
  const error = member(parseJson(text), 'error');
  const message = member(error, 'message');
  const type = member(error, 'type');
  const code = member(error, 'code');
  const param = member(error, 'param');
  if (typeof message !== 'string' || typeof type !== 'string' || typeof code !== 'string') return null;
  return { message, type, code, param: typeof param === 'string' ? param : null };
}

/**
 * The reason of a 402, which the x402 v1 body of D-01 and D-03 has in `error`. Null for another body, which the
 * contract allows.
 */
export function readPaymentRequired(text: string): string | null {
  const error = member(parseJson(text), 'error');
  return typeof error === 'string' ? error : null;
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
