import { createHttpCaller } from '../../outbound/http-caller.ts';
import type { EngineUpstream } from '../engine.ts';

export type UpstreamProbeOptions = {
  readonly baseUrl: string;
  readonly apiKey?: string;
  /** The variable that the key comes from, for the operator; null without a key. */
  readonly apiKeyEnv?: string | null;
  readonly connectTimeoutMs: number;
};

export type UpstreamProbe = EngineUpstream & { close(): Promise<void> };

/** A proxy answers so in the place of a server that is away. */
const awayStatuses = [502, 503, 504];
/** The key is wrong, has expired or was revoked: inferences would be refused as well. */
const keyStatuses = [401, 403];
/** Of the list of models only the status matters; a longer one is not read. */
const answerBytesMax = 65_536;

/**
 * Asks an upstream for its list of models, which costs no tokens. Any answer of the upstream itself that does not refuse
 * the key will do, for not every server has such a list. A server that takes the connection and is slow may be busy
 * with inferences, so it counts as well.
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
      if (keyStatuses.includes(status)) return keyIssue(status, apiKeyEnv);
      return awayStatuses.includes(status) ? `the upstream is away: it answers ${status}` : null;
    },
    close: () => caller.close(),
  };
}

function keyIssue(status: number, apiKeyEnv: string | null): string {
  const answer = `its list of models answers ${status}`;
  return apiKeyEnv === null
    ? `the upstream wants a key: ${answer}. Name a variable in api_key_env of the model in the catalog`
    : `the upstream refuses the key in ${apiKeyEnv}: ${answer}. Set ${apiKeyEnv} to a key that may list models`;
}
