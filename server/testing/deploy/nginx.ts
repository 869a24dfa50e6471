import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitUntilListening } from './wait-until-listening.ts';

/** The nginx of this machine; null without one. */
export const nginxProgram =
  ['/usr/sbin/nginx', '/usr/local/sbin/nginx', '/usr/bin/nginx'].find((path) => existsSync(path)) ?? null;

export type NginxOptions = {
  /** For its files, and for `cert.pem` and `key.pem`. */
  readonly folder: string;
  /** Host and port of each gateway. */
  readonly gateways: readonly string[];
  readonly ports: { readonly http: number; readonly https: number };
  /** Without TLS, the second server serves plain HTTP. */
  readonly tls: boolean;
};

const example = readFileSync(new URL('../../deploy/nginx.conf', import.meta.url), 'utf8');
const connectionsMax = 1_024;

/** Starts nginx with the example configuration. Only ports, files, gateways and TLS differ. */
export async function startNginx(options: NginxOptions): Promise<ChildProcess> {
  const { folder, ports } = options;
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, configure(options));
  const child = spawn(nginxProgram ?? '', ['-e', 'stderr', '-p', folder, '-c', file], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  try {
    await waitUntilListening(ports.https);
  } catch (cause) {
    child.kill('SIGKILL');
    throw cause;
  }
  return child;
}

function configure({ folder, gateways, ports, tls }: NginxOptions): string {
  const [line = '', options = ''] = /server gateway:8402([^;]*);/.exec(example) ?? [];
  const servers = gateways.map((gateway) => `server ${gateway}${options};`).join(' ');
  const changes: readonly (readonly [string, string])[] = [
    [line, servers],
    ['listen 80;', `listen 127.0.0.1:${ports.http};`],
    ['listen 443 ssl;', `listen 127.0.0.1:${ports.https}${tls ? ' ssl' : ''};`],
    ['/etc/nginx/tls/fullchain.pem', join(folder, 'cert.pem')],
    ['/etc/nginx/tls/privkey.pem', join(folder, 'key.pem')],
  ];
  let changed = example;
  for (const [from, to] of changes) {
    if (from === '' || !changed.includes(from)) throw new Error(`nginx.conf lacks "${from}"`);
    changed = changed.replace(from, to);
  }
  if (!tls) changed = changed.replaceAll(/^ *ssl_.*$/gm, '');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  return `${user} daemon off; worker_processes 1; pid ${join(folder, 'nginx.pid')}; error_log stderr crit;
    events { worker_connections ${connectionsMax}; }
    http { access_log off; ${temporary.join(' ')}\n${changed}\n}`;
}
