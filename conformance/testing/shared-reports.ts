import type { Report } from '../engine/report.ts';
import { mutants } from './broken.ts';
import { startFakeTarget } from './fake-target.ts';
import { judged } from './judged.ts';

const reports = new Map<string | undefined, Promise<Report>>();

/** The report of a whole run against the sound fake target. The test files of one worker share it. */
export function soundReport(): Promise<Report> {
  return sharedReport(undefined);
}

/** The report of a whole run against the fake target with one broken step; see `mutants`. */
export function brokenReport(id: string): Promise<Report> {
  return sharedReport(id);
}

function sharedReport(id: string | undefined): Promise<Report> {
  const report = reports.get(id) ?? reportOn(id);
  reports.set(id, report);
  return report;
}

async function reportOn(id: string | undefined): Promise<Report> {
  const mutant = mutants.find((each) => each.id === id);
  if (id !== undefined && !mutant) throw new Error(`there is no mutant ${id}`);
  await using target = await startFakeTarget(mutant?.change);
  return await judged(target);
}
