import { existsSync } from 'node:fs';
import type { Report } from '../engine/report.ts';
import { keyVariable } from '../payment/key.ts';
import { type Caps, paymentsMaxDefault } from '../payment/spending.ts';
import { isLoopback } from '../wire/origin.ts';
import type { Configuration } from './configuration.ts';

/** Where `npm start` leaves the funded key of its embedded network. */
export const devnetKeyFile = '.data/devnet/payer.key';

/** Enough for a whole run at the reference gateway's prices; the tokens are worth nothing. */
export const devnetCaps: Caps = {
  perRequestUnits: 100_000n,
  totalUnits: 100_000n * BigInt(paymentsMaxDefault),
};

/** The key file of an embedded gateway, where the target can be one. */
export function findDevnetKeyFile(targetUrl: string): string | undefined {
  return isLoopback(targetUrl) && existsSync(devnetKeyFile) ? devnetKeyFile : undefined;
}

/** Where to look for the key of a gateway on this machine. */
export const devnetKeyAdvice = `\`npm start\` prints where its payer's key is (${devnetKeyFile} in the folder where it runs)`;

/**
 * A line under a free run against this machine: whoever judges the gateway of `npm start` from another folder than its own would
 * not know why so little was asked.
 */
export function keyHint(
  { target, profiles, unreached }: Report,
  profileNamed: string | undefined,
): readonly string[] {
  const isAsked = profileNamed !== undefined || unreached !== null || profiles.includes('paid');
  if (isAsked || !isLoopback(target)) return [];
  return [
    `Only free was judged. For more: --profile all with a funded key, in --key-file or ${keyVariable}; ${devnetKeyAdvice}.`,
  ];
}

/** A line where a key is in the environment, and nothing on the command line asks for it. */
export function unusedKeyLine(
  { profiles }: Configuration,
  profileNamed: string | undefined,
  environment: NodeJS.ProcessEnv,
): readonly string[] {
  const isAsked = profileNamed !== undefined || profiles.includes('paid');
  if (environment[keyVariable] === undefined || isAsked) return [];
  return [`${keyVariable} was not used: --profile all with --max-per-request and --max-total uses it.`];
}
