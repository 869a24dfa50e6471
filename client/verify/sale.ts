import { endpoints } from '@paid-inference/contract/constants';
import type { ChatCompletion, SavedExchange, TextCompletion } from '@paid-inference/contract/types';

type Sale = { readonly method: string; readonly path: string; readonly object: string };

const chat: ChatCompletion['object'] = 'chat.completion';
const text: TextCompletion['object'] = 'text_completion';

/** Where inference is sold, and what an answer there is (contract §2.6, §2.7, §3). */
const sales: readonly Sale[] = [
  { ...endpoints.createChatCompletion, object: chat },
  { ...endpoints.createCompletion, object: text },
];

/**
 * Why this is no inference that was sold, whatever was proven; null where it can be. A proof names neither endpoint nor
 * status, so these are held against what the contract has: a 200 at one of two endpoints, with the body of that one.
 */
export function saleFault({ request, response }: SavedExchange): string | null {
  const sale = saleAt(request.url);
  if (sale === null || sale.method !== request.method) {
    const where = URL.parse(request.url)?.pathname ?? 'what is no URL';
    const sold = sales.map(({ method, path }) => `${method} ${path}`).join(' and ');
    return `no inference is sold at ${request.method} ${where}: that is at ${sold}`;
  }
  if (response.status !== 200) {
    return `the answer has the status ${response.status}, and inference that was sold is answered 200`;
  }
  const object = objectOf(response.body);
  if (object === null || object === sale.object) return null;
  return `the answer is a ${object}, and ${sale.path} answers with a ${sale.object}`;
}

/** Where the gateway of a saved exchange is, without the endpoint's path; null for what is no URL of an HTTP server. */
export function gatewayOf({ request }: SavedExchange): string | null {
  const url = URL.parse(request.url);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '') return null;
  const sale = saleAt(request.url);
  return url.origin + (sale === null ? '' : url.pathname.slice(0, -sale.path.length));
}

/** A gateway may live under a path of its own. */
function saleAt(url: string): Sale | null {
  const { pathname = '' } = URL.parse(url) ?? {};
  return sales.find(({ path }) => pathname.endsWith(path)) ?? null;
}

/** What a body says that it is; null for what says nothing that could be held against an endpoint. */
function objectOf(body: string): string | null {
  try {
    const value: unknown = JSON.parse(body);
    const object: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'object') : null;
    return typeof object === 'string' ? object : null;
  } catch {
    return null;
  }
}
