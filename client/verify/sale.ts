import { endpoints } from '@paid-inference/contract/constants';
import type { ChatCompletion, SavedExchange, TextCompletion } from '@paid-inference/contract/types';

type Sale = { readonly method: string; readonly path: string; readonly object: string };

const chat: ChatCompletion['object'] = 'chat.completion';
const text: TextCompletion['object'] = 'text_completion';

/** The endpoints that sell inference, and the type of their responses (contract §2.6, §2.7, §3). */
const sales: readonly Sale[] = [
  { ...endpoints.createChatCompletion, object: chat },
  { ...endpoints.createCompletion, object: text },
];

/**
 * The reason why an exchange sold no inference; null when it may have. A proof names neither endpoint nor
 * status, so both are compared with the contract: a 200 of one of two endpoints, with a body of that endpoint.
 */
export function saleFault({ request, response }: SavedExchange): string | null {
  const sale = saleAt(request.url);
  if (sale === null || sale.method !== request.method) {
    const where = URL.parse(request.url)?.pathname ?? 'an invalid URL';
    const sold = sales.map(({ method, path }) => `${method} ${path}`).join(' and ');
    return `${request.method} ${where} sells no inference: ${sold} do`;
  }
  if (response.status !== 200) {
    return `the response has status ${response.status}, but a sold inference has status 200`;
  }
  const object = readObject(response.body);
  if (object === null || object === sale.object) return null;
  return `the response is a ${object}, but ${sale.path} returns a ${sale.object}`;
}

/** The base URL of a saved exchange's gateway; null when the exchange has no HTTP URL. */
export function findGatewayUrl({ request }: SavedExchange): string | null {
  const url = URL.parse(request.url);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '') return null;
  const sale = saleAt(request.url);
  return url.origin + (sale === null ? '' : url.pathname.slice(0, -sale.path.length));
}

/** Finds the endpoint of a URL. A gateway may have a path before the endpoint. */
function saleAt(url: string): Sale | null {
  const { pathname = '' } = URL.parse(url) ?? {};
  return sales.find(({ path }) => pathname.endsWith(path)) ?? null;
}

/** The field `object` of a body; null without one. */
function readObject(body: string): string | null {
  try {
    const value: unknown = JSON.parse(body);
    const object: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'object') : null;
    return typeof object === 'string' ? object : null;
  } catch {
    return null;
  }
}
