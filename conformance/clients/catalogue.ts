import type { Requirement, Scenario, WholeRequirement } from './scenario.ts';
import { brokenStreams, faults } from './scenarios/faults.ts';
import { offers } from './scenarios/offers.ts';
import { purchases } from './scenarios/purchases.ts';
import { receipts } from './scenarios/receipts.ts';
import { signing } from './signing.ts';

/** All scenarios, in the order of a run. The plain purchase comes first, because others refer to it. */
export const scenarios: readonly Scenario[] = [
  ...purchases,
  ...faults,
  ...brokenStreams,
  ...offers,
  ...receipts,
];

/** A requirement with its scenario; undefined if the whole run shows it. */
export type Listed = Pick<Requirement, 'id' | 'level' | 'title' | 'source'> & {
  readonly scenario: string | undefined;
};

/** All requirements for clients. */
export const clientRequirements: readonly Listed[] = [
  ...scenarios.flatMap(({ id, requirements }) => requirements.map((each) => list(each, id))),
  ...signing.map((each) => list(each, undefined)),
];

function list(
  { id, level, title, source }: Requirement | WholeRequirement,
  scenario: string | undefined,
): Listed {
  return { id, level, title, source, scenario };
}
