import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { headerNames } from '@paid-inference/contract/constants';
import type { ErrorCode } from '@paid-inference/contract/errors';
import Koa from 'koa';
import type { Log } from '../observe/log.ts';
import type { RequestObserver, RequestTracer } from '../observe/observers.ts';
import { createRequestLog } from '../observe/request-log.ts';
import type { SaleNote } from '../observe/sale-note.ts';
import { StoreUnavailable } from '../store/store.ts';
import { clientAddress } from './client-address.ts';
import { clientNetwork, clientSite } from './client-network.ts';
import type { Exchange, Handlers } from './contract.ts';
import { type Cors, corsHeaders } from './cors.ts';
import { findMalformed, type HeadLimits } from './malformed.ts';
import { findMediaTypeFault } from './media-type.ts';
import { describeValidationError } from './param.ts';
import type { Admission } from './rate-limit.ts';
import { type BodyLimits, createJsonReader, type ReadJson } from './read-body.ts';
import { refuseBody } from './refuse-body.ts';
import { errorReply, type FinishedReply, unknownPath } from './reply.ts';
import { endRequest } from './request-end.ts';
import { type Match, readRoutes } from './routes.ts';
import { send } from './send.ts';
import { type FindSiteRoute, type SiteRoute, serveSite } from './site-route.ts';
import { readQuery, readTarget, type Target } from './target.ts';
import { unknownFields } from './unknown-fields.ts';
import { watchOnce } from './watch-client.ts';
import type { StreamLimits } from './write-events.ts';

export type AppPorts = {
  readonly handlers: Handlers;
  readonly log: Log;
  readonly limits: BodyLimits & HeadLimits & StreamLimits;
  readonly cors: Cors;
  /** True once the gateway was told to stop. */
  readonly isStopping: () => boolean;
  /** True while so many payments are in progress that the gateway cannot even look at more of them (D-389). */
  readonly isSwamped: () => boolean;
  /** Counts one request against the rate limit of a client's network (D-32). */
  readonly admitAddress: (network: string) => Promise<Admission>;
  /** The same for probes, the OpenAPI document and unknown paths (D-133). */
  readonly admitProbe: (network: string) => Promise<Admission>;
  /** The number of the operator's own proxies that every request passes. */
  readonly trustedProxies: number;
  /** The paths of the web page; null without a page. */
  readonly findSiteRoute?: FindSiteRoute | null;
  readonly requestObserver?: RequestObserver | null;
  readonly requestTracer?: RequestTracer | null;
};

type AnyHandler = (call: object, exchange: Exchange) => Promise<FinishedReply>;

/** One request in progress. */
type Arrival = Pick<Exchange, 'requestId' | 'network' | 'site' | 'note'> & {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly found: Match;
  /** The route of the web page, for a path that the contract lacks. */
  readonly page: SiteRoute | null;
} & Target;

/** A target above the limit is not parsed. */
const noTarget: Target = { path: '', query: '' };

type Router = AppPorts & {
  readonly readJson: ReadJson;
};

type FoundRoute = Extract<Match, { kind: 'route' }>;

/** Creates the request listener. Only this file uses Koa, and Koa runs no middleware but this one. */
export function createApp(ports: AppPorts): (request: IncomingMessage, response: ServerResponse) => void {
  const router = { ...ports, readJson: createJsonReader(ports.limits) };
  const match = readRoutes();
  const logRequest = createRequestLog(ports.log, () => performance.now());
  const { requestObserver, requestTracer } = ports;
  const app = new Koa();
  app.silent = true;
  app.use(async (context) => {
    const { req: request, res: response } = context;
    const startedAt = performance.now();
    requestObserver?.began();
    const requestId = chooseRequestId(readHeader(request, headerNames.requestId));
    const { url = '/', method = 'GET' } = request;
    const target = url.length > ports.limits.targetBytesMax ? noTarget : readTarget(url);
    const sale: { -readonly [Name in keyof SaleNote]: SaleNote[Name] } = {};
    const note = (more: SaleNote) => void Object.assign(sale, more);
    const address = clientAddress(request, ports.trustedProxies);
    const [network, site] = [clientNetwork(address), clientSite(address)];
    const found = match(method, target.path);
    const page = found.kind === 'no-path' ? (ports.findSiteRoute?.(target.path) ?? null) : null;
    const arrival = { request, response, found, page, ...target, network, site, requestId, note };
    const route = found.kind === 'route' ? found.route.path : null;
    const trace = requestTracer?.begin({ requestId, method, route, isPaying: isPaying(request) });
    const reply = await (trace ? trace.run(() => respond(router, arrival)) : respond(router, arrival));
    const cors = corsHeaders(ports.cors, request);
    // The gateway writes the response itself. Koa would copy each header once more.
    context.respond = false;
    const headers = { ...cors, ...trace?.headers(), [headerNames.requestId]: requestId };
    try {
      await send(response, reply, headers, ports.limits);
    } catch (cause) {
      response.destroy();
      ports.log.error({ requestId, err: cause }, 'an exception ended a response');
    }
    endRequest(response);
    const ms = Math.round((performance.now() - startedAt) * 10) / 10;
    const outcome = { status: reply.status, ...describeOutcome(reply), ...sale };
    const line = { requestId, method, path: target.path, ...outcome, ms };
    logRequest(line);
    requestObserver?.ended(line, route);
    trace?.end(line);
  });
  return app.callback();
}

/** A request header that may come once; the empty string if it is missing. */
function readHeader({ headers }: IncomingMessage, name: string): string {
  const value = headers[name.toLowerCase()];
  return typeof value === 'string' ? value : '';
}

function isPaying({ headers }: IncomingMessage): boolean {
  return paymentHeaders.some((name) => headers[name] !== undefined);
}

const paymentHeaders = [headerNames.payment.toLowerCase(), headerNames.paymentSignature.toLowerCase()];

/** Catches every exception of a request. The log gets the exception; the client does not. */
async function respond(router: Router, arrival: Arrival): Promise<FinishedReply> {
  try {
    return await dispatch(router, arrival);
  } catch (cause) {
    router.log.error({ requestId: arrival.requestId, err: cause }, 'an exception ended a request');
    if (cause instanceof StoreUnavailable) {
      const message = 'The store cannot be reached; send the same request again, with the same payment.';
      return errorReply('unavailable', message, { retryAfterSeconds: 1 });
    }
    return errorReply(
      'internal_error',
      'The gateway failed; its log has the error under the request id of this response.',
    );
  }
}

/** Checks the rate first (D-133), then path, method, content type, size, body and headers (order of D-05). */
async function dispatch(router: Router, arrival: Arrival): Promise<FinishedReply> {
  const isFree = hasOwnAllowance(arrival);
  if (!isFree && router.isStopping()) {
    return errorReply('unavailable', 'The gateway is shutting down; send the same request again.', {
      retryAfterSeconds: 1,
    });
  }
  if (isPaying(arrival.request) && router.isSwamped()) {
    const message = 'The gateway is full. Send the same request with the same payment again.';
    return errorReply('overloaded', message, { retryAfterSeconds: 1 });
  }
  const { network } = arrival;
  const admission = await (isFree ? router.admitProbe(network) : router.admitAddress(network));
  const reply = admission.admitted
    ? await route(router, arrival)
    : errorReply(
        'rate_limited',
        'Too many requests from this address; wait the seconds of Retry-After.',
        admission,
      );
  return { ...reply, headers: { ...reply.headers, ...admission.headers } };
}

/**
 * Whether a request costs so little that it has an allowance of its own (D-133). A request of the page with a body costs
 * as much as one of the contract.
 */
function hasOwnAllowance({ request, found, page }: Arrival): boolean {
  if (request.method === 'OPTIONS') return true;
  return found.kind === 'route' ? probes.has(found.route.operationId) : page?.method !== 'POST';
}

async function route(router: Router, arrival: Arrival): Promise<FinishedReply> {
  const { found } = arrival;
  const malformed = findMalformed(arrival.request, router.limits);
  if (malformed !== null) return malformed;
  if (arrival.page !== null) return serveSite(arrival.page, arrival, router.readJson);
  if (arrival.request.method === 'OPTIONS' && found.kind !== 'no-path')
    return { status: 204, headers: {}, body: null };
  if (found.kind === 'no-path') return unknownPath(found.meant);
  if (found.kind === 'no-method') return methodNotAllowed(found);
  return readAndRun(router, arrival, found);
}

async function readAndRun(router: Router, arrival: Arrival, found: FoundRoute): Promise<FinishedReply> {
  const { request, response } = arrival;
  const { validateBody, dropNulls } = found.route;
  if (validateBody === null) return runHandler(router, arrival, found, {});
  const fault = findMediaTypeFault(request.headers['content-type']);
  if (fault !== null) return fault;
  sendContinue(request, response, router.limits);
  const read = await router.readJson(request, response, arrival.site);
  if (!read.ok) return refuseBody(read.fault, response);
  const received = read.value;
  const body = dropNulls(received);
  if (!validateBody(body)) {
    const { message, param } = describeValidationError(validateBody.errors ?? []);
    return errorReply('invalid_request', message, { param });
  }
  return runHandler(router, arrival, found, { body, received });
}

async function runHandler(
  router: Router,
  arrival: Arrival,
  { route, path }: FoundRoute,
  sent: { readonly body?: unknown; readonly received?: unknown },
): Promise<FinishedReply> {
  const { handlers } = router;
  const { request, response, query, network, site, requestId, note } = arrival;
  const handler = handlers[route.operationId] as unknown as AnyHandler;
  const call = {
    ...sent,
    headers: declaredHeaders(request),
    path,
    query: readQuery(query, route.queryNames),
  };
  const ignoredFields = unknownFields(sent.body, route);
  return handler(call, {
    requestId,
    network,
    site,
    // A getter would give each exchange a hidden class, which V8 keeps with its request until a full collection.
    watchClient: watchOnce(response),
    ignoredFields,
    note,
  });
}

/** The error code, or the reason in a 402 offer. The log gets no message texts. */
function describeOutcome({ body }: FinishedReply): { readonly code?: ErrorCode; readonly reason?: string } {
  const { error } = (body ?? {}) as { readonly error?: { readonly code?: ErrorCode } | string };
  if (typeof error === 'string') return { reason: error };
  return error?.code === undefined ? {} : { code: error.code };
}

function methodNotAllowed({ allowed }: Extract<Match, { kind: 'no-method' }>): FinishedReply {
  const reply = errorReply('method_not_allowed', `This path accepts only ${allowed.join(', ')}.`);
  return { ...reply, headers: { Allow: allowed.join(', ') } };
}

/** Probes have their own rate limit, so that a rate-limited client does not look like an outage. */
const probes: ReadonlySet<string> = new Set([
  ...['getHealth', 'getReadiness', 'getOpenApiDocument', 'getPaidResources'],
]);

/** A client that sends `Expect: 100-continue` waits before it sends the body (RFC 9110 10.1.1). */
function sendContinue({ headers }: IncomingMessage, response: ServerResponse, limits: BodyLimits): void {
  const isAsked = /(?:^|\W)100-continue(?:\W|$)/i.test(headers.expect ?? '');
  if (isAsked && Number(headers['content-length'] ?? 0) <= limits.bodyBytesMax) response.writeContinue();
}

/** The declared request headers, spelt as in the contract. Node joins repeated headers with a comma. */
function declaredHeaders(request: IncomingMessage): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of declared) {
    const value = request.headers[name.toLowerCase()];
    if (typeof value === 'string') found[name] = value;
  }
  return found;
}

const declared = [
  ...[headerNames.payment, headerNames.paymentSignature, headerNames.settlementType],
  ...[headerNames.idempotencyKey, headerNames.retryCount],
];

/** Keeps the client's request id if the id is harmless in a log and in a header. */
function chooseRequestId(sent: string): string {
  return /^[\w.:-]{1,128}$/.test(sent) ? sent : randomUUID();
}
