import type { OpenStore } from '../store/store.ts';
import type { GatewayState } from '../telemetry/telemetry.ts';
import { systemClock } from '../types/clock.ts';
import { createLateReader } from './late-reader.ts';
import { readManifest } from './manifest.ts';
import type { ObservedOptions } from './start-options.ts';

/** Serves the operator's view on the admin address, if the gateway has one and serves pages (D-376). */
export async function openOperatorSite(
  options: ObservedOptions,
  state: GatewayState & { readonly store: OpenStore },
  opened: AsyncDisposableStack,
): Promise<void> {
  const { config, telemetry, clock = systemClock } = options;
  if (!config.webPage || telemetry.adminUrl === null) return;
  const { createOperatorSite } = await import('../web/operator-site.ts');
  const reader = createLateReader(options);
  opened.defer(() => reader.close());
  const { version } = readManifest();
  telemetry.servePages(createOperatorSite({ ...state, openReader: () => reader.open(), clock, version }));
}
