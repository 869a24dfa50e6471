import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { headerNames } from '@paid-inference/contract/constants';
import type { ErrorCode } from '@paid-inference/contract/errors';
import Koa from 'koa';
import type { Log } from '../observe/log.ts';
import { createRequestLog } from '../observe/request-log.ts';
import type { SaleNote } from '../observe/sale-note.ts';
import { StoreUnavailable } from '../store/store.ts';
import { clientAddress } from './client-address.ts';
import { clientNetwork } from './client-network.ts';
import type { Exchange, Handlers } from './contract.ts';
import { type Cors, corsHeaders } from './cors.ts';
import { findMalformed } from './malformed.ts';
import { describeValidationError } from './param.ts';
import type { Admission } from './rate-limit.ts';
import { type BodyFault, type BodyLimits, createJsonReader } from './read-body.ts';
import { bytesOf, errorReply, type FinishedReply } from './reply.ts';
import { type Match, type Route, readRoutes } from './routes.ts';

export type AppPorts = {
  readonly handlers: Handlers;
  readonly log: Log;
  readonly limits: BodyLimits & { readonly headersMax: number };
  readonly cors: Cors;
  /** True from the moment that the gateway was told to stop. */
  readonly isStopping: () => boolean;
  /** Takes one request from the allowance of a client's network (D-32). */
  readonly admitAddress: (network: string) => Promise<Admission>;
  /** The same for probes, the document, and whatever does not exist (D-133). */
  readonly admitProbe: (network: string) => Promise<Admission>;
  /** Proxies of ours that every request comes through. */
  readonly trustedProxies: number;
};

type AnyHandler = (call: object, exchange: Exchange) => Promise<FinishedReply>;

/** One request on its way through the gateway. */
type Arrival = Pick<Exchange, 'requestId' | 'note'> & {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
};

type Router = AppPorts & {
  readonly match: ReturnType<typeof readRoutes>;
  readonly readJson: ReturnType<typeof createJsonReader>;
};

type FoundRoute = Extract<Match, { kind: 'route' }>;

/** Koa lives here: a request comes in, a finished reply goes out, nothing wraps anything. */
export function createApp(ports: AppPorts): (request: IncomingMessage, response: ServerResponse) => void {
  const router = { ...ports, match: readRoutes(), readJson: createJsonReader(ports.limits) };
  const logRequest = createRequestLog(ports.log, () => performance.now());
  const app = new Koa();
  app.silent = true;
  app.use(async (context) => {
    const requestId = requestIdOf(context.get(headerNames.requestId));
    const startedAt = performance.now();
    const path = pathOf(context.req);
    const sale: { -readonly [Name in keyof SaleNote]: SaleNote[Name] } = {};
    const note = (more: SaleNote) => void Object.assign(sale, more);
    const arrival = { request: context.req, response: context.res, path, requestId, note };
    const reply = await answer(router, arrival);
    const headers = {
      ...reply.headers,
      ...corsHeaders(ports.cors, { method: context.method, origin: context.get('Origin') }),
      [headerNames.requestId]: requestId,
    };
    for (const [name, value] of Object.entries(headers))
      if (value !== undefined) context.set(name, String(value));
    // A connection kept open would hold up the end of a gateway that is stopping.
    if (ports.isStopping()) context.set('Connection', 'close');
    // Koa answers 204 for a null body and a text for a missing one: type and body first, the status last.
    if (reply.body !== null) {
      context.set('Content-Type', 'application/json');
      context.body = bytesOf(reply.body);
    }
    context.status = reply.status;
    const ms = Math.round((performance.now() - startedAt) * 10) / 10;
    const { method } = context;
    const outcome = { status: reply.status, ...wordsFor(reply), ...sale };
    logRequest({ requestId, method, path, ...outcome, ms });
  });
  return app.callback();
}

function networkOf({ trustedProxies }: Router, { request }: Arrival): string {
  return clientNetwork(clientAddress(request, trustedProxies));
}

/** The one place where an exception ends: ours to log, never the client's to read. */
async function answer(router: Router, arrival: Arrival): Promise<FinishedReply> {
  try {
    return await dispatch(router, arrival);
  } catch (cause) {
    router.log.error({ requestId: arrival.requestId, err: cause }, 'a request ended in an exception');
    if (cause instanceof StoreUnavailable) {
      const message = 'The store cannot be reached; send the same request again, with the same X-PAYMENT.';
      return withoutRetry(errorReply('unavailable', message, { retryAfterSeconds: 1 }));
    }
    return withoutRetry(
      errorReply('internal_error', 'Something went wrong on our side; the request id finds it in our log.'),
    );
  }
}

/** Rate first (D-133), then in the order of D-05: path, method, content type, size, body and headers. */
async function dispatch(router: Router, arrival: Arrival): Promise<FinishedReply> {
  const method = arrival.request.method ?? 'GET';
  const found = router.match(method, arrival.path);
  const isFree = method === 'OPTIONS' || found.kind !== 'route' || probes.has(found.route.operationId);
  if (!isFree && router.isStopping()) {
    return withoutRetry(
      errorReply('unavailable', 'The gateway is shutting down; send the same request again.', {
        retryAfterSeconds: 1,
      }),
    );
  }
  const network = networkOf(router, arrival);
  const admission = await (isFree ? router.admitProbe(network) : router.admitAddress(network));
  const reply = admission.admitted
    ? await route(router, arrival, method, found)
    : errorReply(
        'rate_limited',
        'Too many requests from this address; wait as long as Retry-After says.',
        admission,
      );
  return { ...reply, headers: { ...reply.headers, ...admission.headers } };
}

async function route(router: Router, arrival: Arrival, method: string, found: Match): Promise<FinishedReply> {
  const malformed = findMalformed(arrival.request, router.limits.headersMax);
  if (malformed !== null) return malformed;
  if (method === 'OPTIONS' && found.kind !== 'no-path') return { status: 204, headers: {}, body: null };
  if (found.kind === 'no-path')
    return errorReply('not_found', 'There is no such path; /openapi.json lists what there is.');
  if (found.kind === 'no-method') return methodNotAllowed(found);
  return readAndRun(router, arrival, found);
}

async function readAndRun(router: Router, arrival: Arrival, found: FoundRoute): Promise<FinishedReply> {
  const { request, response } = arrival;
  const { validateBody } = found.route;
  if (validateBody === null) return runHandler(router, arrival, found, undefined);
  if (!isJson(request.headers['content-type'])) {
    return errorReply('unsupported_media_type', 'Send the body as Content-Type: application/json.', {
      param: 'Content-Type',
    });
  }
  inviteBody(request, response, router.limits);
  const body = await router.readJson(request, networkOf(router, arrival));
  if (!body.ok) return refuseBody(body.fault, response);
  if (!validateBody(body.value)) {
    const { message, param } = describeValidationError(validateBody.errors ?? []);
    return errorReply('invalid_request', message, { param });
  }
  return runHandler(router, arrival, found, body.value);
}

async function runHandler(
  { handlers }: Router,
  { request, response, requestId, note }: Arrival,
  { route, path }: FoundRoute,
  body: unknown,
): Promise<FinishedReply> {
  const handler = handlers[route.operationId] as unknown as AnyHandler;
  const call = { body, headers: declaredHeaders(request), path, query: queryOf(request) };
  const ignoredFields = unknownFields(body, route);
  return handler(call, { requestId, ...farEnd(response), ignoredFields, note });
}

/** The code of an error, or the reason that comes with an offer, and nothing of a message. */
function wordsFor({ body }: FinishedReply): { readonly code?: ErrorCode; readonly reason?: string } {
  const { error } = (body ?? {}) as { readonly error?: { readonly code?: ErrorCode } | string };
  if (typeof error === 'string') return { reason: error };
  return error?.code === undefined ? {} : { code: error.code };
}

/** A payment may have been on its way: an SDK that retries by itself would sign another (D-26). */
function withoutRetry(reply: FinishedReply): FinishedReply {
  return { ...reply, headers: { ...reply.headers, [headerNames.shouldRetry]: 'false' } };
}

function methodNotAllowed({ allowed }: Extract<Match, { kind: 'no-method' }>): FinishedReply {
  const reply = errorReply('method_not_allowed', `This path takes ${allowed.join(', ')}.`);
  return { ...reply, headers: { Allow: allowed.join(', ') } };
}

function refuseBody(fault: BodyFault, response: ServerResponse): FinishedReply {
  // Bytes that were not read must not be taken for the next request of the connection.
  response.setHeader('Connection', 'close');
  switch (fault.kind) {
    case 'too-large':
      return errorReply('request_too_large', `The body is over ${fault.bodyBytesMax} bytes.`);
    case 'too-slow':
      return errorReply('invalid_request', `The body did not arrive within ${fault.bodyTimeoutMs} ms.`);
    case 'client-left':
      return errorReply('invalid_request', 'The body ended early.');
    case 'crowded-out': {
      const message = 'Too many bodies arrive at once; send the same request again.';
      return withoutRetry(errorReply('overloaded', message, { retryAfterSeconds: 1 }));
    }
    case 'invalid':
      response.removeHeader('Connection');
      return errorReply('invalid_request', fault.message, { param: fault.param ?? null });
  }
}

/** Their allowance is their own, so that a client over its limit cannot look like an outage. */
const probes: ReadonlySet<string> = new Set(['getHealth', 'getReadiness', 'getOpenApiDocument']);

/** A client that asks first sends no body to a request that is refused without it (RFC 9110 10.1.1). */
function inviteBody({ headers }: IncomingMessage, response: ServerResponse, limits: BodyLimits): void {
  const isAsked = /(?:^|\W)100-continue(?:\W|$)/i.test(headers.expect ?? '');
  if (isAsked && Number(headers['content-length'] ?? 0) <= limits.bodyBytesMax) response.writeContinue();
}

function isJson(contentType: string | undefined): boolean {
  return contentType?.split(';')[0]?.trim().toLowerCase() === 'application/json';
}

/** Request headers by the name that the contract gives them; Node joins repeated ones with a comma. */
function declaredHeaders(request: IncomingMessage): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of [headerNames.payment, headerNames.paymentSignature, headerNames.settlementType]) {
    const value = request.headers[name.toLowerCase()];
    if (typeof value === 'string') found[name] = value;
  }
  return found;
}

/** The path as it was sent; a target that is no URL has none, and is not found. */
function pathOf(request: IncomingMessage): string {
  return urlOf(request)?.pathname ?? '';
}

function queryOf(request: IncomingMessage): Record<string, string> {
  return Object.fromEntries(urlOf(request)?.searchParams ?? []);
}

/** Names only, and only such as a header can carry (D-09). */
function unknownFields(body: unknown, route: Route): string[] {
  if (typeof body !== 'object' || body === null) return [];
  const unknown = Object.keys(body).filter((name) => !route.bodyFields.has(name));
  return unknown.filter((name) => /^[\w.-]{1,64}$/.test(name)).slice(0, ignoredFieldsMax);
}
const ignoredFieldsMax = 16;

/** What becomes of the client: whether it left early, and whether it got everything. */
function farEnd(response: ServerResponse): Pick<Exchange, 'clientLeft' | 'delivered'> {
  const left = new AbortController();
  const delivered = new Promise<boolean>((resolve) => {
    response.once('close', () => {
      if (!response.writableFinished) left.abort();
      resolve(response.writableFinished);
    });
  });
  return { clientLeft: left.signal, delivered };
}

/** The client's own id is kept where it is harmless in a log and a header. */
function requestIdOf(sent: string): string {
  return /^[\w.:-]{1,128}$/.test(sent) ? sent : randomUUID();
}

/** A target in origin form is a path, whatever it begins with; only one in absolute form names a host. */
function urlOf({ url = '/' }: IncomingMessage): URL | null {
  return URL.parse(url.startsWith('/') ? `http://gateway.invalid${url}` : url);
}
