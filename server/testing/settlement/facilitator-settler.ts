import {
  createFacilitatorSettler,
  type FacilitatorSettlerOptions,
} from '../../settlement/facilitator/facilitator-settler.ts';
import {
  createHttpFacilitator,
  type HttpFacilitatorOptions,
  hashFacilitatorUrl,
} from '../../settlement/facilitator/http-facilitator.ts';
import type { Settler } from '../../settlement/settler.ts';
import type { BatchLimits } from '../../settlement/worker-state.ts';

/** For the settlement bench: a facilitator, with the changes of a test. */
export type Through = Pick<HttpFacilitatorOptions, 'url'> &
  Partial<
    Pick<FacilitatorSettlerOptions, 'x402Version'> &
      Pick<
        FacilitatorSettlerOptions['limits'],
        'settlementsMax' | 'attemptsMax' | 'confirmMs' | 'retryMs' | 'retryMsMax'
      > &
      Pick<HttpFacilitatorOptions, 'verifyTimeoutMs' | 'settleTimeoutMs'>
  >;

type Options = Omit<FacilitatorSettlerOptions, 'facilitator' | 'x402Version' | 'relayer' | 'limits'> & {
  readonly limits: BatchLimits;
  readonly tokenName: string;
};

/** Creates a settler through that facilitator, with short pauses. */
export function settlerThrough(through: Through, { tokenName, ...options }: Options): Settler {
  const { url, x402Version = null, verifyTimeoutMs = 5_000, settleTimeoutMs = 5_000, ...limits } = through;
  const facilitator = createHttpFacilitator({
    url,
    token: null,
    terms: { publicBaseUrl: 'https://gateway.example', tokenName, offerValiditySeconds: 300 },
    verifyTimeoutMs,
    settleTimeoutMs,
    settlementsMax: limits.settlementsMax ?? 8,
  });
  const settler = createFacilitatorSettler({
    ...options,
    facilitator,
    x402Version,
    relayer: hashFacilitatorUrl(url),
    limits: {
      ...options.limits,
      settlementsMax: 8,
      attemptsMax: 3,
      retryMs: 20,
      retryMsMax: 40,
      confirmMs: 60,
      ...limits,
    },
  });
  return {
    ...settler,
    async close() {
      await settler.close();
      await facilitator.close();
    },
  };
}
