import { existsSync } from 'node:fs';
import type { Caps } from '../payment/budget.ts';
import { isLoopback } from '../wire/origin.ts';

/** Where `npm start` leaves the funded key of its embedded network. */
export const devnetKeyFile = '.data/devnet/payer.key';

/** Enough for a whole run at the reference gateway's prices; the tokens are worth nothing. */
export const devnetCaps: Caps = { perRequestUnits: 100_000n, totalUnits: 2_000_000n };

/** The key file of an embedded gateway, where the target can be one. */
export function findDevnetKeyFile(targetUrl: string): string | undefined {
  return isLoopback(targetUrl) && existsSync(devnetKeyFile) ? devnetKeyFile : undefined;
}
