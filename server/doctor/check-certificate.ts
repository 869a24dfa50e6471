import { isIP } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import type { Clock } from '../types/clock.ts';
import { type Finding, failed, ok, warning } from './finding.ts';

const timeoutMs = 10_000;
const secondsPerDay = 86_400;
/** Clients of automatic authorities renew a certificate earlier. */
const daysLeftMin = 14;

/** Connects as a client does, and reads how long the certificate is valid. */
export async function checkCertificate(url: URL, clock: Clock): Promise<Finding> {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const connected = await connectTo(host, Number(url.port || 443));
  if (connected instanceof Error) return failed('tls', describeError(connected, url));
  const { valid_to: validTo } = connected.getPeerCertificate();
  connected.destroy();
  const days = Math.floor((Date.parse(validTo) / 1_000 - clock.nowSeconds()) / secondsPerDay);
  const text = `the certificate of ${url.host} is valid for ${days} more days`;
  return days < daysLeftMin ? warning('tls', `${text}. Renew it`) : ok('tls', text);
}

function connectTo(host: string, port: number): Promise<TLSSocket | Error> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, ...(isIP(host) === 0 && { servername: host }) });
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error(`no response within ${timeoutMs} ms`)));
    socket.once('secureConnect', () => resolve(socket));
    socket.once('error', resolve);
  });
}

function describeError(cause: Error, { host, hostname }: URL): string {
  const { code = cause.message } = cause as NodeJS.ErrnoException;
  const ways: Readonly<Record<string, string>> = {
    ENOTFOUND: `${hostname} has no address. Create its DNS record, or change PUBLIC_BASE_URL`,
    EAI_AGAIN: `the name server does not respond for ${hostname}. Check DNS`,
    ECONNREFUSED: `nothing listens at ${host}. Start the proxy in front of the gateway`,
    CERT_HAS_EXPIRED: `the certificate of ${host} has expired. Renew it`,
    CERT_NOT_YET_VALID: `the certificate of ${host} is not valid yet. Check the clock of this machine`,
    ERR_TLS_CERT_ALTNAME_INVALID: `the certificate of ${host} is for another name. Get one for ${hostname}`,
    DEPTH_ZERO_SELF_SIGNED_CERT: `the certificate of ${host} is self-signed, so clients reject it. Get one from an authority that clients trust`,
    SELF_SIGNED_CERT_IN_CHAIN: `clients do not trust the authority of the certificate of ${host}. Get one from an authority that clients trust`,
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: `${host} does not send the certificate of its authority. Configure the whole chain`,
  };
  return ways[code] ?? `no TLS connection to ${host} (${code}). Check the proxy in front of the gateway`;
}
