import type { Readiness } from '@paid-inference/contract/types';
import { Readiness as isReadiness } from '@paid-inference/contract/validators';
import type { Config } from '../config/schema.ts';
import { createHttpCaller } from '../outbound/http-caller.ts';
import { listenFault } from '../start/start-fault.ts';
import type { Deployment } from './deployment.ts';
import { type Finding, failed, ok, warning } from './finding.ts';

const timeoutMs = 10_000;
const responseBytesMax = 1_048_576;
const readyPath = '/ready';

/** Asks the gateway that listens at the address of the settings for its own checks. */
export async function checkGateway({ loaded: { config } }: Deployment): Promise<readonly Finding[]> {
  if (config.port === 0) return [warning('gateway', 'PORT is 0, so that each start listens at another port')];
  const origin = `http://${findLocalHost(config)}:${config.port}`;
  const caller = createHttpCaller({
    origin,
    server: 'the gateway',
    connections: 1,
    timeoutMs,
    responseBytesMax,
  });
  const response = await caller.call({ method: 'GET', path: readyPath, headers: {}, timeoutMs });
  await caller.close();
  if (response.ok) {
    const readiness = parseReadiness(response.value.text);
    return readiness === null
      ? [failed('gateway', listenFault(portInUse, config))]
      : describe(origin, readiness);
  }
  if (response.fault.includes('ECONNREFUSED'))
    return [warning('gateway', `no gateway listens at ${origin}. Start it`)];
  const way = 'Restart the gateway, or set PORT to another one if another program listens there';
  return [failed('gateway', `${origin} does not respond as a gateway: ${response.fault}. ${way}`)];
}

function parseReadiness(text: string): Readiness | null {
  try {
    const body: unknown = JSON.parse(text);
    return isReadiness(body) ? body : null;
  } catch {
    return null;
  }
}

/** Another program has the port. */
const portInUse = Object.assign(new Error(), { code: 'EADDRINUSE' });

function describe(url: string, { checks }: Readiness): readonly Finding[] {
  const found = checks.flatMap(({ name, ready, detail }) => {
    if (ready && detail === undefined) return [];
    const text = `the gateway at ${url} reports about ${name}: ${detail ?? 'not ready'}`;
    return [ready ? warning('gateway', text) : failed('gateway', text)];
  });
  return found.length > 0 ? found : [ok('gateway', `the gateway at ${url} is ready`)];
}

/** A wildcard address means every address of this machine. */
function findLocalHost({ host }: Config): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
