import { headerNames, network, scheme } from '@paid-inference/contract/constants';
import { decodeBase64, decodeJson, isObject, type JsonObject, member } from '../wire/base64-json.ts';
import type { Answered } from '../wire/exchange.ts';

/** The options of a v2 offer that a payment of the contract could meet. The contract has no such header. */
export function readOptionsOfVersion2({ outcome }: Answered): readonly JsonObject[] {
  const text = outcome.headers.get(headerNames.paymentRequiredV2.toLowerCase()) ?? '';
  const bytes = decodeBase64(text);
  const value = bytes.ok ? decodeJson(bytes.value) : bytes;
  const accepts: unknown = value.ok ? member(value.value, 'accepts') : undefined;
  return (Array.isArray(accepts) ? accepts : [])
    .filter(isObject)
    .filter((each) => each['scheme'] === scheme && each['network'] === network);
}
