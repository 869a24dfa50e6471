import { z } from 'zod';
import { milliseconds } from './numbers.ts';

/** Health, upstreams, and the end of the process. */
export const processSettings = {
  healthAgeMaxMs: milliseconds.default(2_000).meta({
    description: 'Age up to which readiness and new payments go by a known health of store and settlement',
    changeWhen: 'Raise it to check store and chain less often.',
  }),
  upstreamHealthAgeMaxMs: milliseconds.default(5_000).meta({
    description: 'The same for the health of an upstream',
    changeWhen: 'Lower it to notice earlier that an upstream is away.',
  }),
  upstreamConnectTimeoutMs: milliseconds.default(3_000).meta({
    description: 'How long a connection to an upstream may take',
    changeWhen: 'Raise it where an upstream is far away.',
  }),
  upstreamHeadersTimeoutMs: milliseconds.default(60_000).meta({
    description: 'How long an upstream may take to begin its response',
    changeWhen: 'Raise it together with `inferenceTimeoutMs`, where models think for longer.',
  }),
  upstreamAnswerBytesMax: z
    .int()
    .min(65_536)
    .default(8 * 1_048_576)
    .meta({
      description: 'Largest response of an upstream that is read',
      changeWhen: 'Raise it where a model writes longer completions than this.',
    }),
  upstreamConnections: z.int().min(1).max(1_024).default(64).meta({
    description: 'Connections to one upstream',
    changeWhen: 'Set it to the number of requests that the upstream runs at once.',
  }),
  shutdownTimeoutMs: milliseconds.default(30_000).meta({
    description: 'How long work under way may take to end when the gateway is told to stop',
    changeWhen: 'Set it below the time after which your supervisor kills the process.',
  }),
};
