import { createHttpCaller } from '../../outbound/http-caller.ts';
import type { EngineUpstream } from '../engine.ts';

export type UpstreamProbeOptions = {
  readonly baseUrl: string;
  readonly apiKey?: string;
  readonly connectTimeoutMs: number;
};

export type UpstreamProbe = EngineUpstream & { close(): Promise<void> };

/** A proxy answers so in the place of a server that is away. */
const awayStatuses = [502, 503, 504];
/** Of the list of models only the status matters; a longer one is not read. */
const answerBytesMax = 65_536;

/**
 * Asks an upstream for its list of models, which costs no tokens. Any answer of the upstream itself will do, for not every
 * server has such a list. A server that takes the connection and is slow may be busy with inferences, so it counts as well.
 */
export function createUpstreamProbe({
  baseUrl,
  apiKey,
  connectTimeoutMs,
}: UpstreamProbeOptions): UpstreamProbe {
  const url = new URL(baseUrl);
  const caller = createHttpCaller({
    origin: url.origin,
    server: 'the upstream',
    connections: 1,
    timeoutMs: connectTimeoutMs,
    answerBytesMax,
  });
  const path = `${url.pathname.replace(/\/+$/, '')}/models`;
  const headers = {
    accept: 'application/json',
    ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
  };
  // The time to connect, and as much again for the answer.
  const ask = () => caller.call({ method: 'GET', path, headers, timeoutMs: 2 * connectTimeoutMs });
  return {
    async issue() {
      const first = await ask();
      // A connection that was kept open may have been closed by the upstream meanwhile.
      const answered = !first.ok && first.fault.startsWith('no connection to') ? await ask() : first;
      if (!answered.ok)
        return answered.fault.startsWith('no connection') ? `the upstream is away: ${answered.fault}` : null;
      const { status } = answered.value;
      return awayStatuses.includes(status) ? `the upstream is away: it answers ${status}` : null;
    },
    close: () => caller.close(),
  };
}
