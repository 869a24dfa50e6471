import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { findMediaTypeFault } from './media-type.ts';
import type { ReadJson } from './read-body.ts';
import { refuseBody } from './refuse-body.ts';
import { type FinishedReply, unknownPath } from './reply.ts';
import { readQuery } from './target.ts';

/** A request to a path of the web page. */
export type SiteCall = {
  readonly headers: IncomingHttpHeaders;
  /** The client's network (D-133). */
  readonly network: string;
  /** The declared parameters of the query. */
  readonly query: Readonly<Record<string, string>>;
  /** The parsed body of a POST; undefined for a GET. */
  readonly body: unknown;
};

/** A path that the contract does not have (D-371). */
export type SiteRoute = {
  readonly method: 'GET' | 'POST';
  readonly queryNames?: readonly string[];
  respond(call: SiteCall): Promise<FinishedReply>;
};

/** Finds a route of the web page. Null for a path that the page does not have either. */
export type FindSiteRoute = (path: string) => SiteRoute | null;

type SiteRequest = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly network: string;
  /** The client's site (D-224). */
  readonly site: string;
  readonly query: string;
};

/** Serves a route of the web page. Another method gets the 404 of the contract, as without a page. */
export async function serveSite(
  { method, queryNames = [], respond }: SiteRoute,
  { request, response, network, site, query }: SiteRequest,
  readJson: ReadJson,
): Promise<FinishedReply> {
  const { headers, method: sent = 'GET' } = request;
  const call = { headers, network, query: readQuery(query, queryNames) };
  // RFC 9110 9.3.2: HEAD is GET without the body. Node omits the body by itself.
  if (method === 'GET' && (sent === 'GET' || sent === 'HEAD')) return respond({ ...call, body: undefined });
  if (method !== sent) return unknownPath();
  // Another page can send JSON only after a preflight, which these paths do not allow (D-348).
  const fault = findMediaTypeFault(headers['content-type']);
  if (fault !== null) return fault;
  const read = await readJson(request, response, site);
  return read.ok ? respond({ ...call, body: read.value }) : refuseBody(read.fault, response);
}
