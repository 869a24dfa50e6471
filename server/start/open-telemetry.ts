import { chainId } from '@paid-inference/contract/constants';
import type { OpenTraces } from '../telemetry/open-traces.ts';
import { noTelemetry, type Telemetry } from '../telemetry/telemetry.ts';
import { systemClock } from '../types/clock.ts';
import { readManifest } from './manifest.ts';
import { readErrorCode } from './start-fault.ts';
import type { ObservedOptions, StartOptions } from './start-options.ts';

/**
 * Opens metrics, traces and `Server-Timing` where the settings ask for them. They see log and store from now on. A
 * fault joins the faults of the start (D-144). Their libraries are only for gateways that use them (D-254).
 */
export async function openTelemetry(
  options: StartOptions,
  opened: AsyncDisposableStack,
): Promise<ObservedOptions> {
  const { log, wrapStore = (store) => store } = options;
  const faults = [...(options.faults ?? [])];
  const metrics = await openMetricsAt(options, opened, faults);
  const telemetry = await openSteps(options, opened, metrics, faults);
  if (telemetry === noTelemetry) return { ...options, faults, telemetry };
  return {
    ...options,
    faults,
    telemetry,
    log: telemetry.wrapLog(log),
    wrapStore: (store) => telemetry.wrapStore(wrapStore(store)),
  };
}

async function openMetricsAt(
  options: StartOptions,
  opened: AsyncDisposableStack,
  faults: string[],
): Promise<Telemetry> {
  const { config, log, clock = systemClock } = options;
  const { adminAddress, facilitator } = config;
  if (adminAddress === undefined) return noTelemetry;
  const { openMetrics } = await import('../telemetry/open-metrics.ts');
  try {
    const metrics = await openMetrics({
      address: parseAddress(adminAddress),
      clock,
      info: {
        version: readManifest().version,
        chain_id: String(chainId),
        settled_by: facilitator === undefined ? 'relayers' : 'facilitator',
        store: options.store ? 'postgres' : 'sqlite',
      },
    });
    opened.defer(() => metrics.close());
    log.info({ url: `${metrics.adminUrl}/metrics` }, 'metrics are served');
    return metrics;
  } catch (cause) {
    faults.push(
      `The metrics cannot be served at ${adminAddress} (${readErrorCode(cause)}). Set ADMIN_ADDRESS to a free address of this machine, or unset it.`,
    );
    return noTelemetry;
  }
}

async function openSteps(
  options: StartOptions,
  opened: AsyncDisposableStack,
  seen: Telemetry,
  faults: string[],
): Promise<Telemetry> {
  const { config, clock = systemClock } = options;
  const { tracesUrl, serverTiming } = config;
  if (tracesUrl === undefined && !serverTiming) return seen;
  const { createSteps } = await import('../telemetry/steps.ts');
  const { withSteps } = await import('../telemetry/with-steps.ts');
  const traces = tracesUrl === undefined ? null : await openExport(options, tracesUrl, faults);
  if (traces !== null) opened.defer(() => traces.close());
  return withSteps(
    seen,
    createSteps({ clock, startTrace: traces?.startTrace ?? null, hasServerTiming: serverTiming }),
  );
}

/** The packages of OpenTelemetry are optional, because most gateways need none. */
async function openExport(
  { config, log }: StartOptions,
  url: string,
  faults: string[],
): Promise<OpenTraces | null> {
  try {
    const { openTraces } = await import('../telemetry/open-traces.ts');
    return openTraces({ url, ratio: config.tracesRatio, version: readManifest().version, log });
  } catch (cause) {
    const packages = Object.keys(readManifest().peerDependencies).join(' ');
    faults.push(
      `Traces need packages that are not installed (${readErrorCode(cause)}). Run npm install ${packages}, or unset tracesUrl.`,
    );
    return null;
  }
}

function parseAddress(text: string): { readonly host: string; readonly port: number } {
  const at = text.lastIndexOf(':');
  return { host: text.slice(0, at).replace(/^\[(.*)\]$/, '$1'), port: Number(text.slice(at + 1)) };
}
