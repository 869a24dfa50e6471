import { z } from 'zod';
import { milliseconds } from './numbers.ts';

/** Health, upstreams, and the end of the process. */
export const processSettings = {
  healthAgeMaxMs: milliseconds.default(2_000).meta({
    description: 'How long readiness and new payments use a health result of store and settlement',
    changeWhen: 'Raise it to check store and chain less often.',
  }),
  upstreamHealthAgeMaxMs: milliseconds.default(5_000).meta({
    description:
      'How long readiness uses a health result of an upstream; a new payment uses an older one if it found no issue',
    changeWhen: 'Lower it to notice earlier that an upstream is down.',
  }),
  upstreamConnectTimeoutMs: milliseconds.default(3_000).meta({
    description: 'How long a connection to an upstream may take',
    changeWhen: 'Raise it where an upstream is far away.',
  }),
  upstreamHeadersTimeoutMs: milliseconds.default(60_000).meta({
    description: 'How long an upstream may take to begin its response',
    changeWhen: 'Raise it together with `inferenceTimeoutMs`, for models that think longer.',
  }),
  upstreamResponseBytesMax: z
    .int()
    .min(65_536)
    .default(8 * 1_048_576)
    .meta({
      description:
        'Largest response of an upstream that the gateway reads; each inference at once may take up to seven times as much memory',
      changeWhen: 'Raise it where a model writes longer completions than this.',
    }),
  upstreamEventBytesMax: z.int().min(4_096).default(1_048_576).meta({
    description: 'Largest event in a streamed response of an upstream',
    changeWhen: 'Raise it where an upstream sends longer tool calls in one event.',
  }),
  upstreamIdleTimeoutMs: milliseconds.default(60_000).meta({
    description: 'How long an upstream may send nothing within a streamed response',
    changeWhen: 'Raise it for models that think between two parts of a completion.',
  }),
  upstreamConnections: z.int().min(1).max(1_024).default(64).meta({
    description: 'Connections to one upstream of a model',
    changeWhen: 'Set it to the number of requests that the upstream runs at once.',
  }),
  tracesUrl: z
    .url({ protocol: /^https?$/, message: 'must be an http or https URL' })
    .optional()
    .meta({
      description:
        'The OTLP endpoint that gets traces of paid requests, such as `http://127.0.0.1:4318/v1/traces`; without it the gateway makes none',
      changeWhen: 'Set it to your collector, to see which step of a slow purchase takes the time.',
    }),
  tracesRatio: z.number().min(0).max(1).default(1).meta({
    description: 'The part of the paid requests that are traced',
    changeWhen: 'Lower it where the traces of all sales are too many for your collector.',
  }),
  serverTiming: z.boolean().default(false).meta({
    description: 'Whether responses have the header `Server-Timing`, with the time of each step',
    changeWhen:
      'Set true while you look for slow steps. The times tell clients about your store and your chain.',
  }),
  upstreamAttemptsMax: z.int().min(1).max(16).default(2).meta({
    description:
      'Upstreams of a model that may get one request, one after the other. The last one gets the rest of the time; one before it has failed if it does not begin its response within an equal share',
    changeWhen:
      'Set 1 where an upstream bills requests that fail. Raise it where many upstreams fail at once.',
  }),
  upstreamFailoverDelayMsMax: z.int().min(0).max(10_000).default(50).meta({
    description: 'The longest random pause before a failed request goes to another upstream',
    changeWhen:
      'Raise it where an upstream fails with many requests, and the others cannot take them at once.',
  }),
  upstreamFailuresMax: z.int().min(1).max(1_000).default(5).meta({
    description: 'Failures of an upstream in a row after which it rests and gets no requests',
    changeWhen: 'Raise it for an upstream that fails now and then.',
  }),
  upstreamPauseMs: milliseconds.default(5_000).meta({
    description:
      'How long an upstream rests, within a fifth. Then one request tests it: a success ends the rest, and a failure doubles the next rest',
    changeWhen: 'Raise it where upstreams need long to restart.',
  }),
  upstreamPauseMsMax: milliseconds.default(60_000).meta({
    description: 'The longest rest of an upstream',
    changeWhen: 'Lower it to use an upstream sooner after a long outage.',
  }),
  shutdownTimeoutMs: milliseconds.default(30_000).meta({
    description: 'How long requests in progress may take to end during a shutdown',
    changeWhen:
      'Set it so that, with `rpcTimeoutMs` added, it is below the time after which your supervisor kills the process.',
  }),
};
