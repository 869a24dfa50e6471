import { endpoints, headerNames } from '@paid-inference/contract/constants';
import type { InternalErrorBody, InvalidSignatureBody } from '@paid-inference/contract/types';
import { urlAt } from '../context/context.ts';
import { readError } from '../sources/judgements.ts';
import { identifierPattern } from '../sources/sources.ts';
import { type Found, found, missing } from '../types/found.ts';
import { decodeMarkedJson, member } from '../wire/base64-json.ts';
import { readEvents } from '../wire/event-stream.ts';
import type { Answered } from '../wire/exchange.ts';
import { asOneLine } from '../wire/one-line.ts';
import type { Session } from '../wire/session.ts';

/** No catalog contains this model. A gateway that makes an offer for it reads the model later, or never. */
const placeholderModel = 'any-provider/any-model';

/** The rows of the error table (§7) that no server of other services has, by status. */
const errorRows = {
  401: { type: 'authentication_error', code: 'invalid_signature' },
  500: { type: 'server_error', code: 'internal_error' },
} as const satisfies {
  readonly 401: Pick<InvalidSignatureBody['error'], 'type' | 'code'>;
  readonly 500: Pick<InternalErrorBody['error'], 'type' | 'code'>;
};

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
 * Whether the target shows itself as a gateway for the placeholder. The suite tries several forms,
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
    if (isOfGateway(asked.value)) return true;
  }
  return false;
}

/** Statuses that refuse the placeholder, as a gateway must. Some gateways add an offer to each response. */
const refusals = new Set([400, 404, 422]);

/**
 * Whether an unpaid request for the placeholder was served, got an offer, or got an error that only the contract has. The
 * checks judge the status (D-455). A server of other services has none of these.
 */
function isOfGateway(answered: Answered): boolean {
  const { status, headers, body } = answered.outcome;
  if (status === 402) return true;
  if (status >= 200 && status < 300 && [body, ...readEvents(body)].some(isCompletion)) return true;
  if (!refusals.has(status) && headers.has(headerNames.paymentRequired.toLowerCase())) return true;
  const error = readError(body);
  const row = status === 401 || status === 500 ? errorRows[status] : undefined;
  return row !== undefined && error?.['type'] === row.type && error['code'] === row.code;
}

function isCompletion(text: string): boolean {
  const read = decodeMarkedJson(text);
  return read.ok && Array.isArray(member(read.value, 'choices'));
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
