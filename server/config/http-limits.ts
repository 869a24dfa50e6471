import { z } from 'zod';
import { clientMilliseconds, milliseconds, rateLimit } from './numbers.ts';

/**
 * Limits of connections and requests, so that no client can use up the resources of the others (D-132 to
 * D-134).
 */
export const httpLimits = {
  bodyBytesMax: z
    .int()
    .min(1_024)
    .max(64 * 1_048_576)
    .default(1_048_576)
    .meta({
      description: 'Largest request body',
      changeWhen: 'Raise it where clients send long chats and get 413. Raise `arrivingBytesMax` with it.',
    }),
  bodyTimeoutMs: clientMilliseconds.default(15_000).meta({
    description: 'How long a body may take to arrive',
    changeWhen: 'Raise it where clients on slow networks send large bodies.',
  }),
  headersTimeoutMs: clientMilliseconds.default(10_000).meta({
    description: 'How long request headers may take to arrive',
    changeWhen: 'Lower it where slow clients hold many connections.',
  }),
  jsonDepthMax: z.int().min(16).max(1_000).default(100).meta({
    description: 'Deepest nesting of a body',
    changeWhen: 'Raise it where the schemas of tools are nested deeper than this.',
  }),
  jsonValuesMax: z.int().min(1_000).max(1_000_000).default(20_000).meta({
    description: 'Most members and items of a body, at all depths together',
    changeWhen: 'Raise it where clients send tools with very large schemas.',
  }),
  connectionsMax: z.int().min(1).max(1_000_000).default(4_096).meta({
    description: 'Connections that are open at once',
    changeWhen: 'Raise it together with the limit of the system on open files.',
  }),
  addressConnectionsMax: z.int().min(1).nullable().default(256).meta({
    description:
      'Connections of one client at once; null for no limit. It does not apply with `trustedProxies`. Where it applies, a site also has at most half of the connections that other sites leave',
    changeWhen: 'Raise it where many clients share one address, as behind one office network.',
  }),
  pipelinedRequestsMax: z.int().min(1).max(1_024).default(16).meta({
    description:
      'Requests that wait on a connection for earlier ones; at the limit the gateway stops reading',
    changeWhen: 'Lower it to hold fewer requests of one client in memory.',
  }),
  pipelinedBytesMax: z
    .int()
    .min(1_024)
    .max(16 * 1_048_576)
    .default(65_536)
    .meta({
      description: 'Bytes of all requests that wait on one connection',
      changeWhen: 'Raise it where a client pipelines large bodies and its connection is slow.',
    }),
  keepAliveTimeoutMs: milliseconds.default(5_000).meta({
    description: 'How long a connection may be idle between two requests',
    changeWhen: 'Set it above the idle time of a proxy in front, which would reuse a closed connection.',
  }),
  responseTimeoutMs: clientMilliseconds.default(30_000).meta({
    description: 'How long a client may take to read a response before it is disconnected',
    changeWhen: 'Raise it where clients on slow networks read long completions.',
  }),
  unsentBytesMax: z
    .int()
    .min(1_048_576)
    .default(256 * 1_048_576)
    .meta({
      description:
        'Bytes of all responses that clients do not read yet; above it the gateway ends connections, first of the site with the most',
      changeWhen: 'Raise it where many clients on slow networks read long completions, and memory is free.',
    }),
  streamHeartbeatMs: milliseconds.default(10_000).meta({
    description: 'The longest silence in a streamed response before the gateway sends a comment',
    changeWhen: 'Lower it where a proxy in front closes silent connections earlier.',
  }),
  headersMax: z.int().min(32).max(10_000).default(200).meta({
    description: 'Most headers of a request',
    changeWhen: 'Raise it where proxies in front add many headers.',
  }),
  targetBytesMax: z.int().min(512).max(16_384).default(2_048).meta({
    description: 'Longest path of a request with its query',
    changeWhen: 'Raise it where proxies in front add long queries.',
  }),
  arrivingBytesMax: z
    .int()
    .min(1_048_576)
    .default(256 * 1_048_576)
    .meta({
      description:
        'Bytes of all incomplete bodies together; beyond it the gateway gives up the oldest of the site with the most bytes',
      changeWhen: 'Lower it on a machine with little memory.',
    }),
  heldBytesMax: z
    .int()
    .min(1_048_576)
    .default(64 * 1_048_576)
    .meta({
      description:
        'Bytes of all bodies from 2 KiB whose requests are in progress, and eight for each member and item, and 100 for each name that is a number; one client may hold a quarter, but at most half of the bytes that others leave. They take up to ten times as much memory',
      changeWhen: 'Raise it where many clients send long chats at once, and memory is free.',
    }),
  paymentHeaderBytesMax: z.int().min(1_024).max(16_384).default(8_192).meta({
    description: 'Longest `X-PAYMENT`',
    changeWhen: 'Raise it where the signatures of contract wallets are longer than this.',
  }),
  messagesMax: z.int().min(8).default(1_024).meta({
    description: 'Most messages of a chat',
    changeWhen: 'Raise it where clients have longer chats.',
  }),
  toolsMax: z.int().min(4).default(128).meta({
    description: 'Most tools of a chat',
    changeWhen: 'Raise it where clients offer more tools to a model.',
  }),
  addressRateLimit: rateLimit.default({ requestsMax: 1_200, windowSeconds: 60 }).meta({
    description: 'Requests of one client address, before the payer is known; null for no limit',
    changeWhen:
      'Raise it where many payers share one address. Set null where a proxy in front limits requests.',
  }),
  payerRateLimit: rateLimit.default({ requestsMax: 600, windowSeconds: 60 }).meta({
    description: 'Requests of one payer, counted once its signature is verified; null for no limit',
    changeWhen: 'Raise it where one payer buys for many users.',
  }),
  refusalRateLimit: rateLimit.default({ requestsMax: 60, windowSeconds: 60 }).meta({
    description:
      'Payments of one client that are refused, before or after their inference, such as payments without funds. At the limit its new payments get 429 before any RPC call; null for no limit',
    changeWhen:
      'Raise it where many payers share one address. Lower it where your RPC endpoint has a small quota.',
  }),
  webPageRateLimit: rateLimit.default({ requestsMax: 600, windowSeconds: 60 }).meta({
    description: 'Requests of one client in which the web page reads a payment or a chain; null for no limit',
    changeWhen:
      'Lower it where your RPC endpoint has a small quota. Set `webPage` to false to serve no page.',
  }),
  probeRateLimit: rateLimit.default({ requestsMax: 6_000, windowSeconds: 60 }).meta({
    description:
      'Requests of one client for health, readiness, the OpenAPI document and unknown paths; null for no limit',
    changeWhen: 'Raise it where several monitors ask from one address.',
  }),
};
