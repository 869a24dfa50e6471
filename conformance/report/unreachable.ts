/** A cause of a missing response, and advice. */
type Cause = { readonly pattern: RegExp; readonly text: string; readonly advice: string };

const plainAdvice = 'If the port uses TLS, use https://.';
const tlsAdvice = 'If the port uses plain HTTP, use http://.';

/** Causes by the failure reason of the network layer. The first match counts. */
const causes: readonly Cause[] = [
  {
    pattern: /^ECONNREFUSED$/,
    text: 'connection refused',
    advice: 'Start the gateway, or correct host and port.',
  },
  { pattern: /^ENOTFOUND$/, text: 'DNS has no such host', advice: 'Correct the host name.' },
  {
    pattern: /^EAI_/,
    text: 'DNS did not resolve the host',
    advice: 'Check the host name and the network, then try again.',
  },
  {
    pattern: /^(EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)$/,
    text: 'no route to the host',
    advice: 'Check address, network and firewall.',
  },
  {
    pattern: /^TLS failed, (ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/,
    text: 'the TLS certificate is for another host',
    advice: 'Use the host name of the certificate.',
  },
  {
    pattern: /^TLS failed, CERT_HAS_EXPIRED$/,
    text: 'the TLS certificate has expired',
    advice: 'Renew the certificate.',
  },
  {
    pattern: /^TLS failed, (CERT_|CRL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/,
    text: 'the TLS certificate is not trusted',
    advice: 'Name the certificate of its issuer with NODE_EXTRA_CA_CERTS=<file>.',
  },
  { pattern: /^TLS failed/, text: 'the TLS handshake failed', advice: tlsAdvice },
  { pattern: /^HPE_/, text: 'the response is not HTTP', advice: plainAdvice },
  {
    pattern: /^timed out after /,
    text: 'no response in time',
    advice: 'Check host, port and firewall, or raise --timeout-ms.',
  },
];

/** One line about a target that gave no response: the cause, its code, and advice. */
export function unreachableText(reason: string, targetUrl: string): string {
  const isClosed = /^(ECONNRESET|EPIPE)$|without a response/.test(reason);
  const otherScheme = targetUrl.startsWith('http:') ? plainAdvice : tlsAdvice;
  const cause = isClosed
    ? { text: 'the connection was closed without a response', advice: otherScheme }
    : causes.find(({ pattern }) => pattern.test(reason));
  return cause ? `${cause.text} (${reason}). ${cause.advice}` : reason;
}
