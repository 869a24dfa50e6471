import { check } from '../../context/check.ts';
import type { Ask } from '../../context/context.ts';
import { bodyFor, paidEndpointNames, validRequest } from '../../sources/bodies.ts';
import { hasStatus } from '../../sources/judgements.ts';
import { paymentRequired } from '../../sources/sources.ts';
import { given } from '../../types/found.ts';

/** How clients of other makers send the same request (RFC 9110, D-184, D-205). */
export const otherClient = {
  compressed: { 'Accept-Encoding': 'gzip, deflate' },
  smallNames: { hasSmallNames: true },
  anyAnswer: { Accept: '*/*' },
  otherName: { 'User-Agent': 'curl/8.5.0' },
} as const;

const ways: Readonly<Record<string, Pick<Ask, 'headers' | 'hasSmallNames'>>> = {
  'asks for a compressed answer': { headers: otherClient.compressed },
  'has the names of its headers in small letters': otherClient.smallNames,
  'takes an answer of any type': { headers: otherClient.anyAnswer },
  'has the User-Agent of another client': { headers: otherClient.otherName },
};

/** Any HTTP client can use the service (contract 1): what means the same in HTTP is answered the same. */
export const otherClientChecks = paidEndpointNames.flatMap((endpoint) =>
  Object.entries(ways).map(([words, { headers, ...way }]) =>
    check(
      endpoint === 'chat' ? 'unpaid.chat.402' : 'unpaid.completions.402',
      `An unpaid request that ${words} is answered 402 (${endpoint})`,
      (context) =>
        // A gateway that asks for no payment is judged for that.
        given(paymentRequired(context, endpoint), () =>
          given(
            context.ask({ ...validRequest(endpoint, bodyFor(endpoint, context.model), headers), ...way }),
            (answered) => hasStatus(answered, 402),
          ),
        ),
    ),
  ),
);
