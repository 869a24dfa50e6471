import { createHttpCaller } from '../../outbound/http-caller.ts';
import type { EngineProbe } from '../engine.ts';

export type UpstreamProbeOptions = {
  readonly baseUrl: string;
  readonly apiKey?: string;
  /** The variable of the key, for the operator; null without a key. */
  readonly apiKeyEnv?: string | null;
  readonly connectTimeoutMs: number;
};

export type UpstreamProbe = EngineProbe & { close(): Promise<void> };

/** The statuses of a proxy whose server is down. */
const awayStatuses = [502, 503, 504];
/** The statuses of a key that is wrong, expired or revoked. Inference requests would be rejected as well. */
const keyStatuses = [401, 403];
/** The size limit of the list of models. Only the status matters. */
const responseBytesMax = 65_536;

/**
 * Probes an upstream with a request for its list of models, which costs no tokens. Any response of the upstream
 * itself except a rejected key is enough, because not every server has such a list. A server that accepts the
 * connection and is slow may be busy with inferences, so it counts as available.
 */
export function createUpstreamProbe({
  baseUrl,
  apiKey,
  apiKeyEnv = null,
  connectTimeoutMs,
}: UpstreamProbeOptions): UpstreamProbe {
  const url = new URL(baseUrl);
  const caller = createHttpCaller({
    origin: url.origin,
    server: 'the upstream',
    connections: 1,
    timeoutMs: connectTimeoutMs,
    responseBytesMax,
  });
  const path = `${url.pathname.replace(/\/+$/, '')}/models`;
  const headers = {
    accept: 'application/json',
    ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
  };
  // The connect timeout, and the same time again for the response.
  const ask = () => caller.call({ method: 'GET', path, headers, timeoutMs: 2 * connectTimeoutMs });
  return {
    async issue() {
      const first = await ask();
      // The upstream may have closed the kept connection meanwhile.
      const answered = !first.ok && first.fault.startsWith('no connection to') ? await ask() : first;
      if (!answered.ok)
        return answered.fault.startsWith('no connection')
          ? `the upstream is unavailable: ${answered.fault}`
          : null;
      const { status } = answered.value;
      if (keyStatuses.includes(status)) return keyIssue(status, apiKeyEnv);
      return awayStatuses.includes(status) ? `the upstream is unavailable: it returns ${status}` : null;
    },
    close: () => caller.close(),
  };
}

function keyIssue(status: number, apiKeyEnv: string | null): string {
  const finding = `GET /models returns ${status}`;
  return apiKeyEnv === null
    ? `the upstream needs a key: ${finding}. Name a variable in api_key_env of the model in the catalog`
    : `the upstream rejects the key in ${apiKeyEnv}: ${finding}. Set ${apiKeyEnv} to a key that may list models`;
}
