import { chains } from './chains.ts';
import { clocks } from './clocks.ts';
import { concurrency, fastConcurrency } from './concurrency.ts';
import { disconnects } from './disconnects.ts';
import { facilitators } from './facilitators.ts';
import { floodScenarios } from './floods.ts';
import { kills } from './kills.ts';
import { killsAtRandom } from './kills-at-random.ts';
import { killsOutside } from './kills-outside.ts';
import { killsParked } from './kills-parked.ts';
import { ledgersAway } from './ledgers-away.ts';
import { limitFaults } from './limit-faults.ts';
import { lostKeys } from './lost-keys.ts';
import { nodes } from './nodes.ts';
import { proxies } from './proxies.ts';
import type { Scenario } from './scenario.ts';
import { separateStores } from './separate-stores.ts';
import { severalNonces } from './several-nonces.ts';
import { signedAgain } from './signed-again.ts';
import { streams } from './streams.ts';
import { takeovers } from './takeovers.ts';
import { tokens } from './tokens.ts';
import { unsellable } from './unsellable.ts';
import { upstreamFaults } from './upstream-faults.ts';
import { wallets } from './wallets.ts';

/** All scenarios, in the order of the table. */
export const scenarios: readonly Scenario[] = [
  ...kills,
  ...killsParked,
  ...killsOutside,
  ...killsAtRandom,
  ...takeovers,
  ...lostKeys,
  ...separateStores,
  ...disconnects,
  ...streams,
  ...signedAgain,
  ...proxies,
  ...floodScenarios,
  ...nodes,
  ...chains,
  ...severalNonces,
  ...tokens,
  ...wallets,
  ...facilitators,
  ...ledgersAway,
  ...unsellable,
  ...upstreamFaults,
  ...limitFaults,
  ...clocks,
  ...concurrency,
  ...fastConcurrency,
];
