import { endpoints, headerNames } from '@paid-inference/contract/constants';
import { urlAt } from '../context/context.ts';
import { identifierPattern } from '../sources/sources.ts';
import { type Found, found, missing } from '../types/found.ts';
import { decodeMarkedJson, member } from '../wire/base64-json.ts';
import { asOneLine } from '../wire/one-line.ts';
import type { Session } from '../wire/session.ts';

/** No catalog contains this model. A gateway that makes an offer for it reads the model later, or never. */
const placeholderModel = 'any-provider/any-model';

type Target = { readonly url: string; readonly userAgent: string };

/**
 * How many listed models are tried until one is sold: the list may begin with models of other services (D-201).
 */
const candidatesMax = 5;

/**
 * Finds models to ask for: those of `GET /v1/models`. The endpoint is an extension that a deployment may lack
 * (D-31), so nothing is judged here. Without a list, a gateway that makes offers for any model gets a
 * placeholder model where no payment is signed (D-149).
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
  const { status, headers: responseHeaders, body } = listed.value.outcome;
  const ids = status === 200 ? modelsIn(body) : [];
  if (ids.length > 0) return found([...new Set(ids)].slice(0, candidatesMax));
  const [other] = status === 200 ? idsIn(body) : [];
  const type = responseHeaders.get('content-type') ?? 'no content type';
  const response = `${method} ${path} returned ${status} (${asOneLine(type)}) ${asOneLine(body)}`.trimEnd();
  const leadsTo = responseHeaders.get('location');
  if (status >= 300 && status < 400 && leadsTo !== undefined) {
    return missing(
      `${method} ${path} was redirected (${status}) to ${asOneLine(leadsTo)}, and the suite does not follow redirects. Give the base URL of the redirect target`,
    );
  }
  const isFinal = status < 500 && status !== 429;
  if (isFinal && isPlaceholderEnough && (await showsGateway(session, target, headers))) {
    return found([placeholderModel]);
  }
  if (other !== undefined) {
    return missing(
      `${method} ${path} lists no identifier of the form <provider>/<model_name>, but for example "${asOneLine(other)}". Name a model with --model`,
    );
  }
  if (responseHeaders.has(headerNames.paymentRequired.toLowerCase()))
    return missing(`${method} ${path} demands a payment. Name a model with --model`);
  return missing(`${response}. Check that the URL is that of a gateway; if it is, name a model with --model`);
}

/**
 * Whether the target returns an offer or a completion for the placeholder. The suite tries several forms,
 * because rejecting one form is a fault that the checks judge.
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
    const completion = decodeMarkedJson(outcome.body);
    const isServed =
      outcome.status === 200 && completion.ok && Array.isArray(member(completion.value, 'choices'));
    if (outcome.status === 402 || isServed) return true;
  }
  return false;
}

/** Reads the catalog identifiers from the usual forms of such lists. Other ids are no identifiers (§1, D-217). */
export function modelsIn(body: string): readonly string[] {
  return idsIn(body).filter((id) => identifierPattern.test(id));
}

function idsIn(body: string): readonly string[] {
  const read = decodeMarkedJson(body);
  if (!read.ok) return [];
  const { value } = read;
  const lists = [member(value, 'data'), member(value, 'models'), value];
  const list: readonly unknown[] = lists.find(Array.isArray) ?? [];
  return list
    .map((entry) => (typeof entry === 'string' ? entry : (member(entry, 'id') ?? member(entry, 'name'))))
    .filter((id) => typeof id === 'string' && id !== '')
    .map(String);
}
