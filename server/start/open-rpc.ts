import { chainId } from '@paid-inference/contract/constants';
import { createHttpRpc, type HttpRpc } from '../chain/http-rpc.ts';
import { openManyRpc } from '../chain/many-rpc.ts';
import type { Config } from '../config/schema.ts';
import type { Log } from '../observe/log.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { systemClock } from '../types/clock.ts';
import { ok, type Result } from '../types/result.ts';

/** A running node returns its newest block well within this time. */
const probeTimeoutMsMax = 3_000;
const pauseMs = 1_000;
const pauseMsMax = 30_000;

/**
 * Opens one endpoint directly, or several behind one client. Faults are sentences about endpoints of another
 * chain.
 */
export async function openRpc(
  urls: readonly string[],
  { rpcTimeoutMs: timeoutMs, rpcResponseBytesMax: responseBytesMax, rpcLagBlocksMax, rpcProbeMs }: Config,
  log: Log,
  { wrapRpc }: Pick<Telemetry, 'wrapRpc'>,
): Promise<Result<HttpRpc, readonly string[]>> {
  const rpcs = urls.map((url, index) =>
    wrapRpc(createHttpRpc({ url, timeoutMs, responseBytesMax }), { chain: 'payments', place: index + 1 }),
  );
  const [only, second] = rpcs;
  if (only !== undefined && second === undefined) return ok(only);
  return openManyRpc({
    rpcs,
    chainId,
    log,
    // Probes measure real time, even in tests with a manual clock.
    clock: systemClock,
    timeoutMs,
    limits: {
      lagBlocksMax: rpcLagBlocksMax,
      probeMs: rpcProbeMs,
      probeTimeoutMs: Math.min(timeoutMs, probeTimeoutMsMax),
      pauseMs,
      pauseMsMax,
    },
  });
}
