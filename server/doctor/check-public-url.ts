import { endpoints, headerNames } from '@paid-inference/contract/constants';
import { decodePaymentRequirements } from '@paid-inference/contract/headers';
import { readCatalog } from '../start/read-catalog.ts';
import { checkCertificate } from './check-certificate.ts';
import type { Deployment } from './deployment.ts';
import { type Finding, failed, ok, warning } from './finding.ts';

const check = 'public-url';
const timeoutMs = 15_000;
const { path } = endpoints.createChatCompletion;

/**
 * Asks for an offer at the public URL, as a client without a payment does. The offer must name the recipient and the
 * resource of these settings: otherwise clients pay another gateway, or reject the offer.
 */
export async function checkPublicUrl(deployment: Deployment): Promise<readonly Finding[]> {
  const { config } = deployment.loaded;
  const { publicBaseUrl, chain, trustedProxies } = config;
  if (publicBaseUrl === undefined)
    return chain === undefined
      ? []
      : [
          warning(
            check,
            'PUBLIC_BASE_URL is not set, so offers name the address on which the gateway listens. Set it to the URL that clients use',
          ),
        ];
  const url = new URL(publicBaseUrl);
  const found: Finding[] = [];
  if (url.protocol === 'https:') {
    const certificate = await checkCertificate(url, deployment.clock);
    found.push(certificate);
    // The gateway itself speaks no TLS.
    if (trustedProxies === 0)
      found.push(
        warning(
          check,
          'PUBLIC_BASE_URL is https, so a proxy is in front, and TRUSTED_PROXIES is 0. All clients share the rate limits of one address. Set TRUSTED_PROXIES to the number of your proxies',
        ),
      );
    if (certificate.status === 'failed') return found;
  }
  return [...found, await checkOffer(deployment, publicBaseUrl)];
}

async function checkOffer({ loaded: { config } }: Deployment, baseUrl: string): Promise<Finding> {
  const resource = baseUrl + path;
  let response: Response;
  try {
    response = await fetch(resource, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(smallestRequest(config.catalogFile)),
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    await response.body?.cancel();
  } catch (cause) {
    return failed(
      check,
      `${resource} cannot be reached (${describeCause(cause)}). Check DNS, the firewall and the proxy in front of the gateway`,
    );
  }
  if (response.status !== 402) return describeStatus(resource, response);
  const offer = decodePaymentRequirements(response.headers.get(headerNames.paymentRequired) ?? '');
  if (!offer.ok)
    return failed(
      check,
      `the 402 of ${resource} has no valid offer: ${offer.message}. Let the proxy pass all headers`,
    );
  const { payTo, resource: named } = offer.value;
  if (config.chain && payTo.toLowerCase() !== config.chain.payTo)
    return failed(
      check,
      `the 402 of ${resource} pays ${payTo}, and PAY_TO is ${config.chain.payTo}. Another gateway responds there, or the gateway runs with other settings`,
    );
  if (named !== resource)
    return failed(
      check,
      `the 402 of ${resource} names the resource ${named}. Restart the gateway with this PUBLIC_BASE_URL`,
    );
  return ok(check, `the 402 of ${resource} names this recipient and this resource`);
}

/** `fetch` keeps the reason in the cause of its error, and a timeout has a number as its code. */
function describeCause(thrown: unknown): string {
  const { code, message } = ((thrown as Error).cause ?? thrown) as Error & { readonly code?: unknown };
  return typeof code === 'string' ? code : message;
}

function smallestRequest(catalogFile: string | undefined): object {
  const catalog = readCatalog(catalogFile);
  const [model] = catalog.ok ? catalog.value.list() : [];
  return { model: model?.id ?? '', messages: [{ role: 'user', content: 'ping' }], max_tokens: 1 };
}

function describeStatus(resource: string, { status, headers }: Response): Finding {
  const text = `${resource} returns ${status} and no offer`;
  if (status === 429)
    return warning(check, `${text}: this machine has used up its rate limit. Run the check again later`);
  if (status >= 300 && status < 400)
    return failed(
      check,
      `${text}. It leads to ${headers.get('location')}. Set PUBLIC_BASE_URL to the URL that responds itself`,
    );
  if (status === 404)
    return failed(check, `${text}. Let the proxy pass all paths below PUBLIC_BASE_URL on to the gateway`);
  if (status === 400)
    return failed(check, `${text}. The gateway there has another catalog. Restart it with these settings`);
  if ([502, 503, 504].includes(status))
    return failed(
      check,
      `${text}. The gateway is down or not ready, or the proxy limits headers to less than 16 KB`,
    );
  return failed(check, `${text}. Check the proxy in front of the gateway`);
}
