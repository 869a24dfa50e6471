import { z } from 'zod';
import { chainSettings } from './chain-settings.ts';
import { checkContradictions } from './contradictions.ts';
import { httpLimits } from './http-limits.ts';
import { paymentSettings } from './payment-settings.ts';
import { processSettings } from './process-settings.ts';
import { publicSettings } from './public-settings.ts';

/** The settings under `advanced` in the file. Each has a sentence in `changeWhen` (D-190). */
export const advancedSettings = { ...paymentSettings, ...httpLimits, ...chainSettings, ...processSettings };

/** Addresses to listen on that clients cannot call. */
const wildcards = ['0.0.0.0', '::'];

/**
 * Every setting of the gateway, with its unit in the name and its default. The program has no level `advanced`.
 */
export const configSchema = z
  .strictObject({ ...publicSettings, ...advancedSettings })
  .refine(({ host, publicBaseUrl }) => publicBaseUrl !== undefined || !wildcards.includes(host), {
    path: ['publicBaseUrl'],
    message: 'must be set when host is a wildcard, because clients cannot call 0.0.0.0 in an offer',
  })
  .refine(({ chain, proofLedger }) => proofLedger === undefined || chain?.payTo !== proofLedger.contract, {
    path: ['chain', 'payTo'],
    message: 'is the address of the proof ledger, which is on another chain; set it to an account of yours',
  })
  .superRefine(checkContradictions);

export type Config = Readonly<z.infer<typeof configSchema>>;
