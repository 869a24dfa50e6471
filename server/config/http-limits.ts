import { z } from 'zod';

const milliseconds = z.int().min(1).max(3_600_000);
const rateLimit = z
  .strictObject({ requestsMax: z.int().min(1), windowSeconds: z.int().min(1).max(86_400) })
  .nullable();

/** Bounds of connections and requests, so that no client can take what the others need (D-132 to D-134). */
export const httpLimits = {
  connectionsMax: z.int().min(1).max(1_000_000).default(4_096).describe('Connections that are open at once'),
  addressConnectionsMax: z
    .int()
    .min(1)
    .nullable()
    .default(256)
    .describe('The same of one client; null for no limit, and none with `trustedProxies`'),
  pipelinedRequestsMax: z
    .int()
    .min(1)
    .max(1_024)
    .default(16)
    .describe('Requests that wait on a connection for earlier ones; then it is read no further'),
  pipelinedBytesMax: z
    .int()
    .min(1_024)
    .max(16 * 1_048_576)
    .default(65_536)
    .describe('The same for the bytes of those requests'),
  keepAliveTimeoutMs: milliseconds
    .default(5_000)
    .describe('How long a connection may be idle between two requests'),
  responseTimeoutMs: milliseconds
    .default(30_000)
    .describe('How long a client may take to read a response before it is disconnected'),
  headersMax: z.int().min(32).max(10_000).default(200).describe('Most headers of a request'),
  arrivingBytesMax: z
    .int()
    .min(1_048_576)
    .default(256 * 1_048_576)
    .describe('Bytes of incomplete bodies together; beyond it the oldest of them is given up'),
  jsonValuesMax: z
    .int()
    .min(1_000)
    .max(1_000_000)
    .default(20_000)
    .describe('Most members and items of a body, at all depths together'),
  probeRateLimit: rateLimit
    .default({ requestsMax: 6_000, windowSeconds: 60 })
    .describe(
      'Requests of one client for health, readiness, the document and what does not exist; null for no limit',
    ),
};
