import { expect } from 'vitest';
import type { Executed, Settling } from './settlement.ts';

/**
 * For tests: settles again until a transaction was sent. A worker that waited for its node idles until a call.
 */
export async function untilSent({ settler, sent }: Settling, { payment }: Executed): Promise<void> {
  const asked = async () => {
    await settler.settle(payment);
    return sent().length;
  };
  await expect.poll(asked).toBeGreaterThan(0);
}
