import { createHttpRpc } from '../../chain/http-rpc.ts';
import { ask } from '../../devnet/deployer.ts';
import { residentMB } from '../measure/processor.ts';
import type { BenchOptions } from '../section.ts';
import { loadPaid, type PaidFigures } from './paid-load.ts';
import { startGatewayPayee } from './payees.ts';
import { createPaymentSigner } from './payments.ts';
import { openSetup } from './setup.ts';

export const soakAtOnce = 32;

/** Blocks that are timed after each slice. */
const timedBlocks = 5;

/** Figures of one slice of the payments. */
export type SoakSlice = PaidFigures & {
  readonly paymentsSoFar: number;
  /** Memory of the gateway at the end of the slice. */
  readonly memoryMB: number;
  /** How long the chain takes for an empty block at the end of the slice. */
  readonly emptyBlockMs: number;
};

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
    const emptyBlockMs = await timeEmptyBlock(setup.devnet.rpcUrl);
    slices.push({ ...figures, paymentsSoFar, memoryMB, emptyBlockMs });
    say(
      `${paymentsSoFar} payments: ${figures.perSecond.toFixed(0)} payments/s, p99 ${figures.p99Ms.toFixed(0)} ms, ${memoryMB.toFixed(0)} MB, empty block ${emptyBlockMs.toFixed(0)} ms`,
    );
  }
  return slices;
}

async function timeEmptyBlock(url: string): Promise<number> {
  const rpc = createHttpRpc({ url, timeoutMs: 10_000, responseBytesMax: 65_536 });
  const startedAt = performance.now();
  for (let block = 0; block < timedBlocks; block++) await ask(rpc, 'evm_mine', []);
  const tookMs = performance.now() - startedAt;
  await rpc.close();
  return tookMs / timedBlocks;
}
