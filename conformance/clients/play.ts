import type { Devnet } from './devnet/devnet.ts';
import { openGateway } from './gateway.ts';
import type { Buyer } from './purchase.ts';
import { type Ended, listSigned, type Played } from './recording.ts';
import type { Scenario } from './scenario.ts';
import { identify } from './wire.ts';

type Stage = {
  readonly devnet: Devnet;
  readonly keyFile: string;
  readonly buyer: Buyer;
  readonly silenceMs: number;
  readonly clock: () => Date;
};

/** Plays one scenario: opens its gateway, runs the command, and settles every authorization that arrived. */
export async function play(
  scenario: Scenario,
  { devnet, keyFile, buyer, silenceMs, clock }: Stage,
  signal: AbortSignal | undefined,
): Promise<Played> {
  const gateway = await openGateway({ scenario, devnet, silenceMs, clock });
  const { token, rpcUrl } = devnet;
  const purchases = scenario.purchases ?? 1;
  const isStreamed = scenario.isStreamed ?? false;
  const ends: Ended[] = [];
  try {
    while (ends.length < purchases && !signal?.aborted) {
      ends.push(await buyer({ gatewayUrl: gateway.url, keyFile, token, rpcUrl, isStreamed }, signal));
    }
  } finally {
    await gateway.close();
  }
  const settled = new Set<string>();
  for (const { payment } of listSigned(gateway)) {
    if ((await devnet.settle(payment)) !== undefined) settled.add(identify(payment));
  }
  const isHonest = scenario.offer === undefined;
  return { scenario: scenario.id, isHonest, requests: gateway.requests, ends, settled, purchases };
}
