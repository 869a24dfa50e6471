import { endpoints } from '@paid-inference/contract/constants';
import { decodeJson, member } from '../wire/base64-json.ts';
import { asOneLine } from '../wire/one-line.ts';
import type { Session } from '../wire/session.ts';
import { urlAt } from './context.ts';
import { type Found, found, missing } from './found.ts';

/**
 * A model to ask for: the first of `GET /v1/models`. That endpoint is an extension (D-31) which a deployment need not
 * have, and the contract's catalog is not in the contract, so nothing is judged here.
 */
export async function discoverModel(
  session: Session,
  targetUrl: string,
  userAgent: string,
): Promise<Found<string>> {
  const { method, path } = endpoints.listModels;
  const listed = await session.send({
    method,
    url: urlAt(targetUrl, path),
    headers: { Accept: 'application/json', 'User-Agent': userAgent },
    body: undefined,
  });
  if (!listed.ok) return listed;
  const { status, headers, body } = listed.value.outcome;
  const type = headers.get('content-type') ?? 'no content type';
  const answer = `${method} ${path} was answered ${status} (${asOneLine(type)}) ${asOneLine(body)}`.trimEnd();
  const leadsTo = headers.get('location');
  if (status >= 300 && status < 400 && leadsTo !== undefined) {
    return missing(
      `${method} ${path} was redirected (${status}) to ${asOneLine(leadsTo)}, and redirects are not followed. Give the base URL that it leads to`,
    );
  }
  if (status !== 200) return missing(answer);
  const list = decodeJson(Buffer.from(body));
  const data = list.ok ? member(list.value, 'data') : undefined;
  const id = Array.isArray(data) ? member(data[0], 'id') : undefined;
  return typeof id === 'string' && id !== '' ? found(id) : missing(answer);
}
