import type { Config } from '../config/schema.ts';

/** Says why the gateway cannot listen, and which setting to change. */
export function listenFault(cause: unknown, { host, port }: Pick<Config, 'host' | 'port'>): string {
  const code = readErrorCode(cause);
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} of ${host} is in use. Set PORT to another one, or to 0 for a free one.`;
    case 'EACCES':
    case 'EPERM':
      return `Port ${port} may not be opened by this user (${code}). Set PORT to 1024 or more; a proxy in front can offer port 80 or 443.`;
    case 'EADDRNOTAVAIL':
    case 'EINVAL':
    case 'EAFNOSUPPORT':
      return `${host} is no address of this machine. Set HOST to 127.0.0.1, or to 0.0.0.0 together with PUBLIC_BASE_URL.`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${host} has no address (${code}). Set HOST to an address of this machine, such as 127.0.0.1.`;
    default:
      return `The gateway cannot listen on port ${port} of ${host} (${code}). Change HOST or PORT.`;
  }
}

/** Says why a path cannot be written, and which setting to change. */
export function placeFault(cause: unknown, path: string, variable: string): string {
  const code = readErrorCode(cause);
  const way: Readonly<Record<string, string>> = {
    ENOSPC: 'The disk is full. Make room',
    EROFS: 'The disk is read-only. Mount it for writing',
    ENOTDIR: 'A folder in the path is a file. Remove it',
    EEXIST: 'A folder in the path is a file. Remove it',
  };
  const hint = way[code] ?? 'Let this user write there';
  return `${path} cannot be written (${code}). ${hint}, or set ${variable} to another place.`;
}

/** Says why standard output cannot be written, and what to do. */
export function outputFault(cause: unknown): string {
  const code = readErrorCode(cause);
  const way: Readonly<Record<string, string>> = {
    ENOSPC: 'The disk is full. Make room',
    EPIPE: 'The program that reads it has ended. Keep it running',
  };
  return `Standard output cannot be written (${code}). ${way[code] ?? 'Let this user write there'}, or send the output to another place.`;
}

/** The error code of the system, else the message. */
export function readErrorCode(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return (cause as NodeJS.ErrnoException).code ?? cause.message;
}
