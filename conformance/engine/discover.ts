import { endpoints, headerNames } from '@paid-inference/contract/constants';
import { urlAt } from '../context/context.ts';
import { type Found, found, missing } from '../types/found.ts';
import { decodeJson, member } from '../wire/base64-json.ts';
import { asOneLine } from '../wire/one-line.ts';
import type { Session } from '../wire/session.ts';

/** No catalog has it. A gateway that answers a request for it with an offer reads the model later, or never. */
const placeholderModel = 'any-provider/any-model';

type Target = { readonly url: string; readonly userAgent: string };

/** Listed models that are tried until one is sold: the list may begin with others (D-201). */
const candidatesMax = 5;

/**
 * Models to ask for, one of them: the first of `GET /v1/models`. That endpoint is an extension (D-31) which a deployment need not
 * have, and the contract's catalog is not in the contract, so nothing is judged here. Without a list, a gateway that makes
 * an offer for any model is asked for a placeholder where that is enough (D-149).
 */
export async function discoverModels(
  session: Session,
  target: Target,
  isPlaceholderEnough: boolean,
): Promise<Found<readonly string[]>> {
  const { method, path } = endpoints.listModels;
  const headers = { Accept: 'application/json', 'User-Agent': target.userAgent };
  const listed = await session.send({ method, url: urlAt(target.url, path), headers, body: undefined });
  if (!listed.ok) return listed;
  const { status, headers: answerHeaders, body } = listed.value.outcome;
  const ids = status === 200 ? modelsIn(body) : [];
  if (ids.length > 0) return found([...new Set(ids)].slice(0, candidatesMax));
  const type = answerHeaders.get('content-type') ?? 'no content type';
  const answer = `${method} ${path} was answered ${status} (${asOneLine(type)}) ${asOneLine(body)}`.trimEnd();
  const leadsTo = answerHeaders.get('location');
  if (status >= 300 && status < 400 && leadsTo !== undefined) {
    return missing(
      `${method} ${path} was redirected (${status}) to ${asOneLine(leadsTo)}, and redirects are not followed. Give the base URL that it leads to`,
    );
  }
  const isFinal = status < 500 && status !== 429;
  if (isFinal && isPlaceholderEnough && (await showsGateway(session, target, headers))) {
    return found([placeholderModel]);
  }
  return missing(`${answer}: is this a gateway? If it is, pass --model`);
}

/**
 * Whether a request for the placeholder is asked to pay, or served. It comes in several forms, since a gateway that refuses one of them
 * is at fault itself.
 */
async function showsGateway(
  session: Session,
  target: Target,
  headers: Readonly<Record<string, string>>,
): Promise<boolean> {
  const chat = { model: placeholderModel, messages: [{ role: 'user', content: 'Say pong.' }] };
  const forms = [
    { path: endpoints.createChatCompletion.path, body: chat },
    {
      path: endpoints.createChatCompletion.path,
      body: chat,
      more: { [headerNames.settlementType]: 'batch' },
    },
    {
      path: endpoints.createCompletion.path,
      body: { model: placeholderModel, prompt: 'One, two, three,' },
    },
  ];
  for (const { path, body, more } of forms) {
    const asked = await session.send({
      method: 'POST',
      url: urlAt(target.url, path),
      headers: { ...headers, 'Content-Type': 'application/json', ...more },
      body: JSON.stringify(body),
    });
    if (!asked.ok) return false;
    const { outcome } = asked.value;
    const completion = decodeJson(Buffer.from(outcome.body));
    const isServed =
      outcome.status === 200 && completion.ok && Array.isArray(member(completion.value, 'choices'));
    if (outcome.status === 402 || isServed) return true;
  }
  return false;
}

/** The models of a list, in the forms that such lists have. */
export function modelsIn(body: string): readonly string[] {
  const read = decodeJson(Buffer.from(body));
  if (!read.ok) return [];
  const { value } = read;
  const lists = [member(value, 'data'), member(value, 'models'), value];
  const list: readonly unknown[] = lists.find(Array.isArray) ?? [];
  return list
    .map((entry) => (typeof entry === 'string' ? entry : (member(entry, 'id') ?? member(entry, 'name'))))
    .filter((id) => typeof id === 'string' && id !== '')
    .map(String);
}
