import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { Address } from '../vocabulary/units.ts';
import type { OpenStore } from './store.ts';
import { type CreateLedger, randomAddress, type TestLedger } from './test-claims.ts';

/** A ledger for the tests of one group, and before each of them a payer whom it has never seen. */
export function useLedger(createLedger: CreateLedger): TestLedger & {
  readonly store: OpenStore;
  readonly payer: Address;
} {
  let ledger: TestLedger;
  let store: OpenStore;
  let payer: Address;
  beforeAll(async () => {
    ledger = await createLedger();
    store = await ledger.open();
  });
  afterAll(() => ledger.remove());
  beforeEach(() => {
    payer = randomAddress();
  });
  return {
    get store() {
      return store;
    },
    get payer() {
      return payer;
    },
    get clock() {
      return ledger.clock;
    },
    get address() {
      return ledger.address;
    },
    open: () => ledger.open(),
    query: (sql) => ledger.query(sql),
    remove: () => ledger.remove(),
  };
}
