import { chainId } from '@paid-inference/contract/constants';
import { noTelemetry } from '../telemetry/telemetry.ts';
import { systemClock } from '../types/clock.ts';
import { readManifest } from './manifest.ts';
import { readErrorCode } from './start-fault.ts';
import type { ObservedOptions, StartOptions } from './start-options.ts';

/**
 * Opens the metrics if the settings have an admin address, and lets them see log and store. A fault joins the faults of
 * the start (D-144).
 */
export async function openTelemetry(
  options: StartOptions,
  opened: AsyncDisposableStack,
): Promise<ObservedOptions> {
  const { config, log, wrapStore = (store) => store } = options;
  if (config.adminAddress === undefined) return { ...options, telemetry: noTelemetry };
  // Its libraries are only for gateways with metrics (D-254).
  const { openMetrics } = await import('../telemetry/open-metrics.ts');
  try {
    const metrics = await openMetrics({
      address: parseAddress(config.adminAddress),
      clock: options.clock ?? systemClock,
      info: {
        version: readManifest().version,
        chain_id: String(chainId),
        settled_by: config.facilitator === undefined ? 'relayers' : 'facilitator',
        store: options.store ? 'postgres' : 'sqlite',
      },
    });
    opened.defer(() => metrics.close());
    log.info({ url: `${metrics.adminUrl}/metrics` }, 'metrics are served');
    return {
      ...options,
      telemetry: metrics,
      log: metrics.wrapLog(log),
      wrapStore: (store) => metrics.wrapStore(wrapStore(store)),
    };
  } catch (cause) {
    const fault = `The metrics cannot be served at ${config.adminAddress} (${readErrorCode(cause)}). Set ADMIN_ADDRESS to a free address of this machine, or unset it.`;
    return { ...options, telemetry: noTelemetry, faults: [...(options.faults ?? []), fault] };
  }
}

function parseAddress(text: string): { readonly host: string; readonly port: number } {
  const at = text.lastIndexOf(':');
  return { host: text.slice(0, at).replace(/^\[(.*)\]$/, '$1'), port: Number(text.slice(at + 1)) };
}
