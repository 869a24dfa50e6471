import { network } from '@paid-inference/contract/constants';
import type { Offer } from './offer.ts';
import type { Beside } from './sign.ts';

/** The terms of the offer in the form of x402 v2, with some changed. They stand beside the `payload` of a payment. */
export function namingTerms(of: Offer, changed: Readonly<Record<string, unknown>>): Beside {
  const { scheme, payTo, asset, maxTimeoutSeconds, resource, maxAmountRequired, domainName, domainVersion } =
    of;
  const extra = { name: domainName, version: domainVersion };
  const amount = maxAmountRequired.toString();
  return {
    x402Version: 2,
    resource: { url: resource, description: '', mimeType: 'application/json' },
    accepted: { scheme, network, amount, asset, payTo, maxTimeoutSeconds, extra, ...changed },
  };
}
