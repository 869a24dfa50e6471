import { headerNames, network, scheme } from '@paid-inference/contract/constants';
import type { Edge } from './edge.ts';
import { encoded, headerNamed, type Json, objectIn, withHeader } from './wire-edits.ts';

/** Sends the offer also in the form of x402 v2, with the given options. */
export function offeringInVersion2(options: (own: Json) => readonly Json[]): Edge {
  return {
    respond(reply) {
      const offer = objectIn(headerNamed(reply.headers, headerNames.paymentRequired));
      if (reply.status !== 402 || offer === undefined) return reply;
      const { maxAmountRequired: amount, asset, payTo, maxTimeoutSeconds, extra, resource: url } = offer;
      const own = { scheme, network, amount, asset, payTo, maxTimeoutSeconds, extra };
      const value = { x402Version: 2, resource: { url }, accepts: options(own) };
      return withHeader(reply, headerNames.paymentRequiredV2, encoded(value));
    },
  };
}
