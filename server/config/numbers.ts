import { z } from 'zod';

/** Types that many settings share. */
export const milliseconds = z.int().min(1).max(3_600_000);
/** How long a client may take. A shorter time would end requests of ordinary clients. */
export const clientMilliseconds = milliseconds.min(100);
export const seconds = z.int().min(1).max(86_400);
export const rateLimit = z.strictObject({ requestsMax: z.int().min(1), windowSeconds: seconds }).nullable();
