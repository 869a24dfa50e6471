import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { OpenStore } from '../../store/store.ts';
import type { Address } from '../../types/units.ts';
import { type CreateTestStore, randomAddress, type TestStore } from './claims.ts';

/** Creates a store for the tests of one group, and a new payer before each test. */
export function useTestStore(createTestStore: CreateTestStore): TestStore & {
  readonly store: OpenStore;
  readonly payer: Address;
} {
  let testStore: TestStore;
  let store: OpenStore;
  let payer: Address;
  beforeAll(async () => {
    testStore = await createTestStore();
    store = await testStore.open();
  });
  afterAll(() => testStore.remove());
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
      return testStore.clock;
    },
    get address() {
      return testStore.address;
    },
    open: (options) => testStore.open(options),
    query: (sql) => testStore.query(sql),
    remove: () => testStore.remove(),
  };
}
