import { expect } from 'vitest';
import type { Executed, Settling } from './settlement.ts';

/** For tests: asks until something was sent. A worker whose node kept it waiting does nothing until it is asked again. */
export async function untilSent({ settler, sent }: Settling, { payment }: Executed): Promise<void> {
  const asked = async () => {
    await settler.settle(payment);
    return sent().length;
  };
  await expect.poll(asked).toBeGreaterThan(0);
}
