import { describeBalances } from './balances-suite.ts';
import { describeBulk } from './bulk-suite.ts';
import type { CreateTestStore } from './claims.ts';
import { describeClaims } from './claims-suite.ts';
import { describeCompletions } from './completions-suite.ts';
import { describeCrashes } from './crash-suite.ts';
import { describeJoins } from './joins-suite.ts';
import { describeJournal } from './journal-suite.ts';
import { describeKeptOwed } from './kept-owed-suite.ts';
import { describeLostKey } from './lost-key-suite.ts';
import { describeOutcomes } from './outcomes-suite.ts';
import { describeOwed } from './owed-suite.ts';
import { describeParkedProofs } from './parked-proofs-suite.ts';
import { describeBatches } from './proof-batches-suite.ts';
import { describeProofLedgers } from './proof-ledgers-suite.ts';
import { describeProofs } from './proofs-suite.ts';
import { describeRaces } from './races-suite.ts';
import { describeReader } from './reader-suite.ts';
import { describeRefused } from './refused-suite.ts';
import { describeRelayerLeases } from './relayer-leases-suite.ts';
import { describeSent } from './sent-suite.ts';
import { describeTotals } from './totals-suite.ts';
import { describeTransitions } from './transitions-suite.ts';

/**
 * The tests of the store, for both drivers. A driver's test passes a function that creates an empty store whose
 * balance readings are valid for two seconds.
 */
export function describeStore(createTestStore: CreateTestStore): void {
  describeClaims(createTestStore);
  describeJoins(createTestStore);
  describeTransitions(createTestStore);
  describeBalances(createTestStore);
  describeOutcomes(createTestStore);
  describeTotals(createTestStore);
  describeRefused(createTestStore);
  describeRelayerLeases(createTestStore);
  describeJournal(createTestStore);
  describeSent(createTestStore);
  describeBulk(createTestStore);
  describeCompletions(createTestStore);
  describeOwed(createTestStore);
  describeKeptOwed(createTestStore);
  describeLostKey(createTestStore);
  describeProofs(createTestStore);
  describeParkedProofs(createTestStore);
  describeBatches(createTestStore);
  describeProofLedgers(createTestStore);
  describeReader(createTestStore);
  describeRaces(createTestStore);
  describeCrashes(createTestStore);
}
