import { endpoints } from '@paid-inference/contract/constants';
import type { OutgoingRequest } from '../payment/outgoing-request.ts';

/** A part of a chat that the contract has no form for. */
export type Untranslatable = { readonly message: string; readonly param: string };

export type Translation =
  | { readonly ok: true; readonly body: Uint8Array<ArrayBuffer> }
  | { readonly ok: false; readonly fault: Untranslatable };

export type TranslatedRequest =
  | { readonly ok: true; readonly request: OutgoingRequest }
  | { readonly ok: false; readonly fault: Untranslatable };

/** Translates the body of a request for a completion. Returns any other request unchanged. */
export function translateRequest(request: OutgoingRequest): TranslatedRequest {
  const { method, url, body, headers: sent } = request;
  const translate = translators.find(({ path }) => url.pathname.endsWith(path))?.translate;
  if (translate === undefined || method !== 'POST' || body === null) return { ok: true, request };
  const translation = translate(body);
  if (!translation.ok) return translation;
  const withUsage = request.isStreamed ? addUsage(translation.body) : null;
  const headers = new Headers(sent);
  // `fetch` sets it again, for the translated bytes.
  headers.delete('content-length');
  const isUsageAdded = withUsage !== null;
  return { ok: true, request: { ...request, headers, body: withUsage ?? translation.body, isUsageAdded } };
}

/**
 * Asks for the usage of a stream, because a whole completion has it (D-270). Null when the caller asks for no stream,
 * or for the usage too.
 */
function addUsage(body: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> | null {
  const request = parse(body);
  if (!isRecord(request) || request['stream'] !== true) return null;
  const { stream_options: given = null } = request;
  if (given !== null && (!isRecord(given) || given['include_usage'] === true)) return null;
  const stream_options = { ...given, include_usage: true };
  return new TextEncoder().encode(JSON.stringify({ ...request, stream_options }));
}

/** Separates the joined parts of a content, so that words of two parts stay apart. */
const separator = '\n';

/**
 * Translates the chat of an OpenAI client, which the gateway would refuse (D-264): the role `developer` becomes
 * `system`, and text parts of a content become one string. Returns any other body unchanged. The fault names a
 * part that is no text.
 */
export function translateChat(body: Uint8Array<ArrayBuffer>): Translation {
  const chat = parse(body);
  if (!isRecord(chat) || !Array.isArray(chat['messages'])) return { ok: true, body };
  const sent: readonly unknown[] = chat['messages'];
  const messages: unknown[] = [];
  for (const [at, message] of sent.entries()) {
    const translated = translateMessage(message, at);
    if (!translated.ok) return translated;
    messages.push(translated.message);
  }
  if (messages.every((message, at) => message === sent[at])) return { ok: true, body };
  return { ok: true, body: new TextEncoder().encode(JSON.stringify({ ...chat, messages })) };
}

/**
 * Translates the request of an OpenAI client for a text completion: a list with one prompt becomes the prompt. The
 * fault names any other list.
 */
export function translateText(body: Uint8Array<ArrayBuffer>): Translation {
  const request = parse(body);
  if (!isRecord(request) || !Array.isArray(request['prompt'])) return { ok: true, body };
  const [prompt, ...others]: readonly unknown[] = request['prompt'];
  if (typeof prompt === 'string' && others.length === 0)
    return { ok: true, body: new TextEncoder().encode(JSON.stringify({ ...request, prompt })) };
  const message = 'prompt is not one text; the gateway completes one text in a request. Nothing was paid.';
  return { ok: false, fault: { message, param: 'prompt' } };
}

const translators = [
  { path: endpoints.createChatCompletion.path, translate: translateChat },
  { path: endpoints.createCompletion.path, translate: translateText },
];

type TranslatedMessage =
  | { readonly ok: true; readonly message: unknown }
  | { readonly ok: false; readonly fault: Untranslatable };

function translateMessage(message: unknown, at: number): TranslatedMessage {
  if (!isRecord(message)) return { ok: true, message };
  const { role, content } = message;
  const renamed = role === 'developer' ? { ...message, role: 'system' } : message;
  if (!Array.isArray(content)) return { ok: true, message: renamed };
  const foreign = content.findIndex((part) => !isTextPart(part));
  if (foreign === -1)
    return { ok: true, message: { ...renamed, content: content.map(({ text }) => text).join(separator) } };
  const part: unknown = content[foreign];
  const type =
    isRecord(part) && typeof part['type'] === 'string' ? ` of type ${part['type'].slice(0, 40)}` : '';
  const param = `messages[${at}].content[${foreign}]`;
  return {
    ok: false,
    fault: { message: `${param} is a part${type}; the gateway sells only text. Nothing was paid.`, param },
  };
}

function isTextPart(part: unknown): part is { readonly text: string } {
  return isRecord(part) && part['type'] === 'text' && typeof part['text'] === 'string';
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Undefined for a body that is no JSON; the gateway refuses it. */
function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}
