import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { ask } from '../../devnet/deployer.ts';
import {
  type FacilitatorConduct,
  startTestFacilitator,
  type TestFacilitator,
} from '../facilitator/fake-facilitator.ts';
import { type Bench, type Executed, type Settling, type SettlingOptions, startBench } from './settlement.ts';

type Options = Omit<SettlingOptions, 'through'> & { readonly through?: Partial<SettlingOptions['through']> };

/** For tests: a chain, with a new facilitator for each test. */
export type FacilitatorBench = {
  readonly bench: Bench;
  /** The facilitator of this test, available after `open`. */
  readonly facilitator: TestFacilitator;
  /** Opens a settler through the facilitator. */
  open(options?: Options): Promise<Settling>;
  /** Sets the conduct of `/settle`. The other paths stay sound. */
  onSettle(conduct: FacilitatorConduct): void;
  /** Reads the recipient's balance. */
  merchant(): Promise<bigint>;
  /** Counts the calls of `/settle`. */
  settlesAsked(): number;
  settlesInTheEnd(settling: Settling, executed: Executed): Promise<void>;
};

export const settled = { state: 'settled', txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/) };

/** A timeout that is long enough for a busy machine. */
export const patience = { timeout: 30_000 } as const;

export function useFacilitator(): FacilitatorBench {
  let bench: Bench;
  let facilitator: TestFacilitator;
  beforeAll(async () => {
    bench = await startBench('kept');
  });
  afterAll(() => bench?.stop());
  afterEach(async () => {
    await facilitator.close();
    await ask(bench.rpc, 'evm_setAutomine', [true]);
    bench.node.conduct = () => 'sound';
    bench.node.rewrite = (_method, _body, response) => response;
  });
  return {
    get bench() {
      return bench;
    },
    get facilitator() {
      return facilitator;
    },
    async open({ through, ...options } = {}) {
      facilitator = await startTestFacilitator(bench.devnet);
      return bench.openSettling({ ...options, through: { url: facilitator.url, ...through } });
    },
    onSettle(conduct) {
      facilitator.conduct = (path) => (path === 'settle' ? conduct : 'sound');
    },
    merchant: () => bench.balanceOf(bench.devnet.payTo),
    settlesAsked: () => facilitator.asked.filter(({ path }) => path === 'settle').length,
    async settlesInTheEnd({ settler }, { payment }) {
      await expect.poll(() => settler.settle(payment), patience).toEqual(settled);
    },
  };
}
