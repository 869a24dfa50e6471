import type { Implementation, Policy } from '../engine/report.ts';
import type { Typed } from './configuration.ts';

import { readExpectedFailures } from './expected-failures.ts';

export type Judgement =
  | { readonly ok: true; readonly policy: Policy; readonly implementation?: Implementation }
  | { readonly ok: false; readonly usage: string };

/** Reads the policy for the report and the name of the deployment, or returns the first fault to correct. */
export function readJudgement(typed: Typed): Judgement {
  const { implementationName: name, implementationVersion: version, implementationUrl: url } = typed;
  if (name === undefined && (version !== undefined || url !== undefined)) {
    return {
      ok: false,
      usage: '--implementation-version and --implementation-url need --implementation-name',
    };
  }
  const read =
    typed.expectedFailures === undefined ? undefined : readExpectedFailures(typed.expectedFailures);
  if (read && !read.ok) return { ok: false, usage: read.fault };
  return {
    ok: true,
    policy: {
      strict: typed.strict === true,
      allowIncomplete: typed.allowIncomplete === true,
      ...(read && { expectedFailures: read.entries }),
    },
    ...(name !== undefined && {
      implementation: {
        name,
        ...(version !== undefined && { version }),
        ...(url !== undefined && { url }),
      },
    }),
  };
}
