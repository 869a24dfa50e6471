/**
 * The result of a check. With `unknown`, the check lacks data, perhaps only for now.
 */
export type Verdict = 'true' | 'false' | 'unknown';

/** A verdict and its reason, in one sentence without a full stop. */
export type Finding = { readonly verdict: Verdict; readonly sentence: string };

export function holds(sentence: string): Finding {
  return { verdict: 'true', sentence };
}

export function fails(sentence: string): Finding {
  return { verdict: 'false', sentence };
}

export function cannotTell(sentence: string): Finding {
  return { verdict: 'unknown', sentence };
}

/** The verdict over several findings: false wins, then unknown. */
export function combineVerdicts(findings: readonly Finding[]): Verdict {
  const verdicts = findings.map(({ verdict }) => verdict);
  if (verdicts.includes('false')) return 'false';
  return verdicts.includes('unknown') ? 'unknown' : 'true';
}
