import type { IncomingHttpHeaders } from 'node:http';
import { type FinishedReply, unknownPath } from '../http/reply.ts';
import type { SiteRoute } from '../http/site-route.ts';
import type { BuiltFiles, EncodedFile } from './built-files.ts';
import { listItems } from './list-items.ts';
import { prefersHtml } from './prefers-html.ts';

/**
 * The page may load only files of the gateway, and may call only the gateway. It has no inline script, no inline style,
 * no form that leaves the page, and no frame.
 */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const safeHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
} as const;

const htmlHeaders = {
  ...safeHeaders,
  'Content-Security-Policy': contentSecurityPolicy,
  // A wallet may open a window of its own.
  'Cross-Origin-Opener-Policy': 'same-origin-allow-popups',
  'Cache-Control': 'no-cache',
  Vary: 'Accept, Accept-Encoding',
} as const;

const assetHeaders = {
  ...safeHeaders,
  // The name has a hash of the content.
  'Cache-Control': 'public, max-age=31536000, immutable',
  Vary: 'Accept-Encoding',
} as const;

/** A view of the page for browsers. Other clients get `elseReply`; by default the 404 of the contract, as without a page. */
export function htmlRoute(
  files: BuiltFiles,
  name: string,
  elseReply: () => FinishedReply | Promise<FinishedReply> = unknownPath,
): SiteRoute {
  return {
    method: 'GET',
    async respond({ headers }) {
      const file = prefersHtml(headers.accept) ? await files.read(name, headers['accept-encoding']) : null;
      if (file !== null) return present(file, headers, htmlHeaders);
      const reply = await elseReply();
      return { ...reply, headers: { ...reply.headers, Vary: 'Accept' } };
    },
  };
}

/** A script or a style of the page. */
export function assetRoute(files: BuiltFiles, name: string): SiteRoute {
  return {
    method: 'GET',
    async respond({ headers }) {
      const file = await files.read(name, headers['accept-encoding']);
      return file === null ? unknownPath() : present(file, headers, assetHeaders);
    },
  };
}

function present(
  { type, bytes, encoding, etag }: EncodedFile,
  sent: IncomingHttpHeaders,
  more: Readonly<Record<string, string>>,
): FinishedReply {
  const headers = { ...more, ETag: etag, ...(encoding !== null && { 'Content-Encoding': encoding }) };
  if (isKnown(sent['if-none-match'], etag)) return { status: 304, headers, body: null };
  return { status: 200, headers, body: null, file: { type, bytes } };
}

/** Whether the browser has this file already (RFC 9110 13.1.2). A proxy may have marked the tag as weak. */
function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  return listItems(ifNoneMatch).some((each) => each.replace(/^W\//, '') === etag);
}
