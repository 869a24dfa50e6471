import { z } from 'zod';
import { chainSettings } from './chain-settings.ts';
import { checkContradictions } from './contradictions.ts';
import { httpLimits } from './http-limits.ts';
import { paymentSettings } from './payment-settings.ts';
import { processSettings } from './process-settings.ts';
import { publicSettings } from './public-settings.ts';

/** The settings that stand under `advanced` in the file. Each says in `changeWhen` when to change it (D-190). */
export const advancedSettings = { ...paymentSettings, ...httpLimits, ...chainSettings, ...processSettings };

/** Addresses to listen on that are no address to call. */
const wildcards = ['0.0.0.0', '::'];

/** Every setting of the gateway, its unit in its name, its default beside it. The program knows no `advanced`. */
export const configSchema = z
  .strictObject({ ...publicSettings, ...advancedSettings })
  .refine(({ host, publicBaseUrl }) => publicBaseUrl !== undefined || !wildcards.includes(host), {
    path: ['publicBaseUrl'],
    message: 'must be set where host is a wildcard: offers name it, and nobody can pay 0.0.0.0',
  })
  .refine(({ chain, proofLedger }) => proofLedger === undefined || chain?.payTo !== proofLedger.contract, {
    path: ['chain', 'payTo'],
    message: 'is the address of the proof ledger, which is on another chain; set it to an account of yours',
  })
  .superRefine(checkContradictions);

export type Config = Readonly<z.infer<typeof configSchema>>;
