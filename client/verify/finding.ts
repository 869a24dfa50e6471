/** What a check found out. `unknown` is no accusation: something that it needs was not there, or is not there yet. */
export type Verdict = 'true' | 'false' | 'unknown';

/** A verdict and why, in one sentence without a full stop. */
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

/** The verdict over several: one that is false decides, then one that is unknown. */
export function verdictOf(findings: readonly Finding[]): Verdict {
  const verdicts = findings.map(({ verdict }) => verdict);
  if (verdicts.includes('false')) return 'false';
  return verdicts.includes('unknown') ? 'unknown' : 'true';
}
