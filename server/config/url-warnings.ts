import type { Config } from './schema.ts';

const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Warnings about a public URL that is valid and probably a mistake. */
export function urlWarnings({ chain, publicBaseUrl }: Pick<Config, 'chain' | 'publicBaseUrl'>): string[] {
  const url = URL.parse(publicBaseUrl ?? '');
  if (url === null) return [];
  const warnings: string[] = [];
  if (chain !== undefined && url.protocol === 'http:' && !loopback.test(url.hostname))
    warnings.push(
      `PUBLIC_BASE_URL is ${publicBaseUrl}, so that prompts and payments cross the network in the clear. Set it to an https URL, with a proxy that ends TLS.`,
    );
  if (/\/v1$/.test(url.pathname))
    warnings.push(
      `PUBLIC_BASE_URL ends in /v1, so that offers name ${publicBaseUrl}/v1/chat/completions. Leave /v1 out.`,
    );
  return warnings;
}
