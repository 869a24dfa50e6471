import { describeAnswers } from './answers-suite.ts';
import { describeBalances } from './balances-suite.ts';
import { describeClaims } from './claims-suite.ts';
import { describeCrashes } from './crash-suite.ts';
import { describeJournal } from './journal-suite.ts';
import { describeLanes } from './lanes-suite.ts';
import { describeOutcomes } from './outcomes-suite.ts';
import { describeBatches } from './proof-batches-suite.ts';
import { describeProofsAside } from './proofs-aside-suite.ts';
import { describeProofs } from './proofs-suite.ts';
import { describeRaces } from './races-suite.ts';
import { describeRefused } from './refused-suite.ts';
import { describeSent } from './sent-suite.ts';
import type { CreateLedger } from './test-claims.ts';
import { describeTransitions } from './transitions-suite.ts';

/**
 * The law of the ledger, for every store alike. A driver's own test calls it with a way to make an empty ledger whose
 * readings of balances are believed for two seconds.
 */
export function describeStore(createLedger: CreateLedger): void {
  describeClaims(createLedger);
  describeTransitions(createLedger);
  describeBalances(createLedger);
  describeOutcomes(createLedger);
  describeRefused(createLedger);
  describeLanes(createLedger);
  describeJournal(createLedger);
  describeSent(createLedger);
  describeAnswers(createLedger);
  describeProofs(createLedger);
  describeProofsAside(createLedger);
  describeBatches(createLedger);
  describeRaces(createLedger);
  describeCrashes(createLedger);
}
