import { residentMB } from '../measure/processor.ts';
import type { BenchOptions } from '../section.ts';
import { loadPaid, type PaidFigures } from './paid-load.ts';
import { startGatewayPayee } from './payees.ts';
import { createPaymentSigner } from './payments.ts';
import { openSetup } from './setup.ts';

export const soakAtOnce = 32;

/** Figures of one slice of the payments, and the memory at its end. */
export type SoakSlice = PaidFigures & { readonly paymentsSoFar: number; readonly memoryMB: number };

let run: Promise<readonly SoakSlice[]> | undefined;

/** Many payments to one process. All sections share one run, because it takes minutes. */
export function soakOnce(options: BenchOptions): Promise<readonly SoakSlice[]> {
  run ??= soak(options);
  return run;
}

async function soak({ quick, say }: BenchOptions): Promise<readonly SoakSlice[]> {
  const [payments, total] = quick ? [500, 5_000] : [4_000, 100_000];
  await using setup = await openSetup();
  const payee = await startGatewayPayee(setup);
  const sign = await createPaymentSigner(setup.devnet);
  await loadPaid(payee, sign, { atOnce: soakAtOnce, payments: payments / 10 });
  const pid = payee.targets[0]?.pid ?? Number.NaN;
  const slices: SoakSlice[] = [];
  for (let paymentsSoFar = payments; paymentsSoFar <= total; paymentsSoFar += payments) {
    const figures = await loadPaid(payee, sign, { atOnce: soakAtOnce, payments });
    const memoryMB = residentMB(pid) ?? Number.NaN;
    slices.push({ ...figures, paymentsSoFar, memoryMB });
    say(
      `${paymentsSoFar} payments: ${figures.perSecond.toFixed(0)} payments/s, p99 ${figures.p99Ms.toFixed(0)} ms, ${memoryMB.toFixed(0)} MB`,
    );
  }
  return slices;
}
