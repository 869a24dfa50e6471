import { exchangeFormat, headerNames } from '@paid-inference/contract/constants';
import type { SavedExchange } from '@paid-inference/contract/types';
import * as valid from '@paid-inference/contract/validators';
import type { OutgoingRequest } from './payment/outgoing-request.ts';
import type { ReceivedResponse } from './payment/send.ts';

export type ExchangeReading =
  | { readonly ok: true; readonly exchange: SavedExchange }
  | { readonly ok: false; readonly message: string };

/** Other headers may hold secrets: an SDK's `Authorization`, a proxy's cookie. */
const keptHeaders: ReadonlySet<string> = new Set(
  ['content-type', ...Object.values(headerNames)].map((name) => name.toLowerCase()),
);

/** Saves a paid request and its response, with only the headers that the contract names (D-80). */
export function saveExchange(
  request: OutgoingRequest,
  payment: string,
  { response, body }: ReceivedResponse,
): SavedExchange {
  const sent = new Headers(request.headers);
  sent.set(headerNames.payment, payment);
  return {
    format: exchangeFormat,
    request: {
      method: request.method,
      url: request.url.href,
      headers: kept(sent),
      body: new TextDecoder().decode(request.body ?? new Uint8Array()),
    },
    response: { status: response.status, headers: kept(response.headers), body },
  };
}

/** Reads a saved exchange and validates it against the schema of `SavedExchange`. */
export function readExchange(text: string): ExchangeReading {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, message: 'the file is not JSON' };
  }
  if (!valid.SavedExchange(value)) {
    return { ok: false, message: faultIn(valid.SavedExchange.errors?.[0]) };
  }
  try {
    for (const side of [value.request, value.response]) readHeaders(side);
  } catch {
    return { ok: false, message: 'a header is not valid in HTTP' };
  }
  return { ok: true, exchange: value };
}

/** Gives the place of the error, the broken rule, and the allowed values of an enum. */
function faultIn(error: valid.ValidationError | undefined): string {
  const { instancePath = '', message = 'is not an exchange', params = {} } = error ?? {};
  const allowed = params['allowedValues'];
  const values = Array.isArray(allowed) ? `: ${allowed.join(', ')}` : '';
  return `${instancePath || 'the whole'} ${message}${values}`;
}

/** The headers of a saved request or response, readable in any letter case. */
export function readHeaders({ headers }: { readonly headers: Readonly<Record<string, string>> }): Headers {
  return new Headers(headers);
}

function kept(headers: Headers): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => keptHeaders.has(name)));
}
