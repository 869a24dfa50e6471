import type { Asked, Reply } from './message.ts';

export type Json = Readonly<Record<string, unknown>>;
export type Endpoint = 'chat' | 'completions';

/** The paid endpoint of a request; undefined for any other path. */
export function findEndpoint({ path }: Asked): Endpoint | undefined {
  if (path.endsWith('/chat/completions')) return 'chat';
  return path.endsWith('/v1/completions') ? 'completions' : undefined;
}

export function isPaid({ headers }: Asked): boolean {
  return headers['x-payment'] !== undefined;
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The JSON value of a text; undefined if the text is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64');
}

/** The JSON object in a base64 header; undefined if there is none. */
export function objectIn(header: string | undefined): Json | undefined {
  const value = header === undefined ? undefined : parsed(Buffer.from(header, 'base64').toString('utf8'));
  return isObject(value) ? value : undefined;
}

/** The payment of a request; undefined if it has no authorization object. */
export function readPayment({ headers }: Asked): { authorization: Json; signature: string } | undefined {
  const payload = objectIn(headers['x-payment'])?.['payload'];
  if (!isObject(payload) || !isObject(payload['authorization'])) return undefined;
  return { authorization: payload['authorization'], signature: String(payload['signature']) };
}

/** The units of a `value`; undefined for text that is not a whole number. */
export function readUnits(value: unknown): bigint | undefined {
  const text = String(value);
  return /^-?\d+$/.test(text) ? BigInt(text) : undefined;
}

/** A `value` one unit lower. Text that is not a whole number stays as it is. */
export function oneUnitLess(value: unknown): unknown {
  const units = readUnits(value);
  return units === undefined ? value : String(units - 1n);
}

/** Hex whose last byte has all bits inverted. */
export function lastByteFlipped(hex: string): string {
  const byte = Number.parseInt(hex.slice(-2), 16) ^ 0xff;
  return hex.slice(0, -2) + byte.toString(16).padStart(2, '0');
}

type Headers = Readonly<Record<string, string>>;

/** The value of a header, whatever the letter case of its name. */
export function headerNamed(headers: Headers, name: string): string | undefined {
  return Object.entries(headers).find(([each]) => each.toLowerCase() === name.toLowerCase())?.[1];
}

export function without(headers: Headers, name: string): Headers {
  return Object.fromEntries(
    Object.entries(headers).filter(([each]) => each.toLowerCase() !== name.toLowerCase()),
  );
}

/** The reply with a header replaced, whatever the letter case of its name. */
export function withHeader(reply: Reply, name: string, value: string): Reply {
  return { ...reply, headers: { ...without(reply.headers, name), [name]: value } };
}

export function withoutHeader(reply: Reply, name: string): Reply {
  return { ...reply, headers: without(reply.headers, name) };
}

export function withJson(reply: Reply, body: unknown): Reply {
  return { ...reply, text: JSON.stringify(body) };
}

/** The object with the member at a path set, or removed if the value is `absent`. */
export function withMember(object: Json, path: string, value: unknown): Json {
  const [first = '', ...rest] = path.split('.');
  const before = object[first];
  const after = rest.length > 0 ? withMember(isObject(before) ? before : {}, rest.join('.'), value) : value;
  const { [first]: _, ...others } = object;
  return after === absent ? others : { ...object, [first]: after };
}

/** Stands for a missing member. */
export const absent = Symbol('absent');

/** The entries of `messages` in a chat body that are objects. */
export function messagesIn({ messages }: Json): readonly Json[] {
  return Array.isArray(messages) ? messages.filter(isObject) : [];
}

/** A response body with the texts of all choices changed. */
export function withTexts(body: Json, change: (text: string) => string): Json {
  const choices: readonly unknown[] = Array.isArray(body['choices']) ? body['choices'] : [];
  return {
    ...body,
    choices: choices.map((choice) => {
      if (!isObject(choice)) return choice;
      if (typeof choice['text'] === 'string') return { ...choice, text: change(choice['text']) };
      const content = isObject(choice['message']) ? choice['message']['content'] : undefined;
      return typeof content === 'string' ? withMember(choice, 'message.content', change(content)) : choice;
    }),
  };
}
