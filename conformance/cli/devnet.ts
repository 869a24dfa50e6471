import { existsSync } from 'node:fs';
import type { Report } from '../engine/report.ts';
import { keyVariable } from '../payment/key.ts';
import { type Caps, paymentsMaxDefault } from '../payment/spending.ts';
import { isLoopback } from '../wire/origin.ts';
import type { Configuration } from './configuration.ts';

/** File, relative to the working directory, where `npm start` writes the funded key of its devnet. */
export const devnetKeyFile = '.data/devnet/payer.key';

/** Caps that suffice for a whole run at the prices of the reference gateway. Devnet tokens have no value. */
export const devnetCaps: Caps = {
  perRequestUnits: 100_000n,
  totalUnits: 100_000n * BigInt(paymentsMaxDefault),
};

/** The key file of a devnet gateway, if the target is on this machine and the file exists. */
export function findDevnetKeyFile(targetUrl: string): string | undefined {
  return isLoopback(targetUrl) && existsSync(devnetKeyFile) ? devnetKeyFile : undefined;
}

/** Advice where to find the key of a devnet gateway. */
export const devnetKeyAdvice = `\`npm start\` prints the path of its payer's key (${devnetKeyFile} in the folder where it runs)`;

/**
 * A hint under a free run against this machine. A run outside the gateway's own folder does not find the devnet
 * key.
 */
export function keyHint(
  { target, profiles, unreached }: Report,
  profileNamed: string | undefined,
): readonly string[] {
  const isAsked = profileNamed !== undefined || unreached !== null || profiles.includes('paid');
  if (isAsked || !isLoopback(target)) return [];
  return [
    `Only the profile free was tested. For more, use --profile all with a funded key in --key-file or ${keyVariable}; ${devnetKeyAdvice}.`,
  ];
}

/**
 * A line that says that the key in the environment was not used, because no option selects the profile paid.
 */
export function unusedKeyLine(
  { profiles }: Configuration,
  profileNamed: string | undefined,
  environment: NodeJS.ProcessEnv,
): readonly string[] {
  const isAsked = profileNamed !== undefined || profiles.includes('paid');
  if (environment[keyVariable] === undefined || isAsked) return [];
  return [`${keyVariable} was not used. Add --profile all, --max-per-request and --max-total to use it.`];
}
