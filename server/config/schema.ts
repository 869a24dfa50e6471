import { z } from 'zod';
import { chainSettings } from './chain-settings.ts';
import { httpLimits } from './http-limits.ts';
import { paymentSettings } from './payment-settings.ts';
import { processSettings } from './process-settings.ts';
import { publicSettings } from './public-settings.ts';

/** The settings under `advanced` in the file. Each has a sentence in `changeWhen` (D-190). */
export const advancedSettings = { ...paymentSettings, ...httpLimits, ...chainSettings, ...processSettings };

/**
 * Every setting of the gateway, with its unit in the name and its default. The program has no level `advanced`. `relations.ts`
 * has the checks of several settings together.
 */
export const configSchema = z.strictObject({ ...publicSettings, ...advancedSettings });

export type Config = Readonly<z.infer<typeof configSchema>>;
