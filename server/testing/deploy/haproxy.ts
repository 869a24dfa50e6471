import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitUntilListening } from './wait-until-listening.ts';

/** The HAProxy of this machine; null without one. */
export const haproxyProgram =
  ['/usr/sbin/haproxy', '/usr/local/sbin/haproxy', '/usr/bin/haproxy'].find((path) => existsSync(path)) ??
  null;

const example = readFileSync(new URL('../../deploy/haproxy.cfg', import.meta.url), 'utf8');

/**
 * Starts HAProxy with the example configuration, without TLS. `gateways` replaces the addresses of the example, by the
 * names of their servers. Servers without an address are left out.
 */
export async function startHaproxy(
  folder: string,
  port: number,
  gateways: Readonly<Record<string, string>>,
): Promise<ChildProcess> {
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, configure(port, gateways));
  const child = spawn(haproxyProgram ?? '', ['-q', '-db', '-f', file], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  try {
    await waitUntilListening(port);
  } catch (cause) {
    child.kill('SIGKILL');
    throw cause;
  }
  return child;
}

function configure(port: number, gateways: Readonly<Record<string, string>>): string {
  const lines = example.split('\n').flatMap((line) => {
    if (/^ {2}bind /.test(line)) return [`  bind 127.0.0.1:${port}`];
    const server = /^ {2}server (\S+) /.exec(line)?.[1];
    if (server === undefined) return [line];
    const address = gateways[server];
    return address === undefined ? [] : [`  server ${server} ${address}`];
  });
  return lines.join('\n');
}
