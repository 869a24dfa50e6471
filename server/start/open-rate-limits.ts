import type { Config } from '../config/schema.ts';
import type { GatewayPorts } from '../gateway.ts';
import { countSites, countSitesOfRefusals, createRateLimit, createRefusalLimit } from '../http/rate-limit.ts';
import { createSharedRateLimit, createSharedRefusalLimit } from '../http/shared-rate-limit.ts';
import type { Log } from '../observe/log.ts';
import type { AllowanceStore } from '../store/allowances.ts';
import { createCircuitBreaker } from '../types/circuit-breaker.ts';
import type { Clock } from '../types/clock.ts';
import { systemRandom } from '../types/random.ts';

type RateLimits = Pick<GatewayPorts, 'admitAddress' | 'admitProbe' | 'admitPayer' | 'refusals'> & {
  /** For readiness: why the limits are not shared now; null when they are, or need not be. */
  warning(): string | null;
};

type RateLimitPorts = {
  readonly store: Partial<AllowanceStore>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'info' | 'warn'>;
};

/** How long the store is not asked after a slow response. The time doubles while it stays slow. */
const restMs = 2_000;
const restMsMax = 30_000;

/**
 * Opens the rate limits. Gateways on a shared store share them (D-314), except that of probes: a gateway must tell its
 * health without its store.
 */
export function openRateLimits(config: Config, ports: RateLimitPorts): RateLimits {
  const limits = openNetworkLimits(config, ports);
  return {
    ...limits,
    admitProbe: countSites(createRateLimit(config.probeRateLimit), config.probeRateLimit),
    admitAddress: countSites(limits.admitAddress, config.addressRateLimit),
    refusals: countSitesOfRefusals(limits.refusals, config.refusalRateLimit),
  };
}

function openNetworkLimits(config: Config, ports: RateLimitPorts): Omit<RateLimits, 'admitProbe'> {
  const { takeAllowance } = ports.store;
  if (takeAllowance === undefined)
    return {
      admitAddress: createRateLimit(config.addressRateLimit),
      admitPayer: refuseOnly(createRateLimit(config.payerRateLimit)),
      refusals: createRefusalLimit(config.refusalRateLimit),
      warning: () => null,
    };
  const { clock, log } = ports;
  const settings = { failuresMax: 1, openMs: restMs, openMsMax: restMsMax };
  const breaker = createCircuitBreaker(settings, clock, systemRandom, (isOpen) => {
    if (isOpen) log.warn(`${aloneWarning}, because the shared store is slow`);
    else log.info('the rate limits count all gateways again');
  });
  const shared = { store: { takeAllowance }, breaker, clock, waitMs: config.storeRateLimitWaitMs };
  return {
    admitAddress: createSharedRateLimit('address', config.addressRateLimit, shared),
    admitPayer: refuseOnly(createSharedRateLimit('payer', config.payerRateLimit, shared)),
    refusals: createSharedRefusalLimit('refusal', config.refusalRateLimit, shared),
    warning: () => (breaker.blockedMs() === null ? null : aloneWarning),
  };
}

const aloneWarning = 'the rate limits count this gateway alone';

function refuseOnly(admit: GatewayPorts['admitAddress']): GatewayPorts['admitPayer'] {
  return async (payer) => {
    const admission = await admit(payer);
    return admission.admitted ? null : admission;
  };
}
