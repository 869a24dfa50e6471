import type { Readiness } from '@paid-inference/contract/types';
import { Readiness as isReadiness } from '@paid-inference/contract/validators';
import type { Config } from '../config/schema.ts';
import { listenFault } from '../start/start-fault.ts';
import type { Deployment } from './deployment.ts';
import { type Finding, failed, ok, warning } from './finding.ts';

const timeoutMs = 10_000;
const readyPath = '/ready';

/** Asks the gateway that listens at the address of the settings for its own checks. */
export async function checkGateway({ loaded: { config } }: Deployment): Promise<readonly Finding[]> {
  if (config.port === 0) return [warning('gateway', 'PORT is 0, so that each start listens at another port')];
  const url = `http://${findLocalHost(config)}:${config.port}`;
  let body: unknown;
  try {
    const response = await fetch(url + readyPath, {
      signal: AbortSignal.timeout(timeoutMs),
      redirect: 'manual',
    });
    body = await response.json();
  } catch (cause) {
    const { code = (cause as Error).name } = ((cause as Error).cause ?? cause) as NodeJS.ErrnoException;
    if (code === 'ECONNREFUSED') return [warning('gateway', `no gateway listens at ${url}. Start it`)];
    // Otherwise another program responds.
    if (!(cause instanceof SyntaxError) && !code.startsWith('HPE_'))
      return [failed('gateway', `${url} does not respond (${code}). Restart the gateway`)];
  }
  if (!isReadiness(body)) return [failed('gateway', listenFault(portInUse, config))];
  return describe(url, body);
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
