import { describe, expect, it } from 'vitest';
import type { Outcome } from '../types/verdict.ts';
import { exitCodes, judgeRun } from './report.ts';

const must = (outcome: Outcome) => ({ level: 'MUST', outcome }) as const;
const should = (outcome: Outcome) => ({ level: 'SHOULD', outcome }) as const;

describe('the verdict of a run', () => {
  it.each([
    ['conformant', 0, [must('pass'), must('disabled'), { level: 'OBSERVED', outcome: 'observed' } as const]],
    ['conformant-with-warnings', 0, [must('pass'), should('warn')]],
    ['non-conformant', 1, [must('pass'), must('fail'), must('inconclusive')]],
    ['incomplete', 3, [must('pass'), must('inconclusive'), should('warn')]],
    ['suite-error', 4, [must('fail'), should('error')]],
  ] as const)('is %s, exit code %i', (verdict, exitCode, results) => {
    expect(judgeRun(results)).toBe(verdict);
    expect(exitCodes[verdict]).toBe(exitCode);
  });

  it('is incomplete when no MUST is in scope', () => {
    const observed = { level: 'OBSERVED', outcome: 'observed' } as const;
    for (const results of [[], [observed], [must('disabled')], [should('pass'), observed]]) {
      expect(judgeRun(results)).toBe('incomplete');
    }
  });

  it('is not incomplete because of a SHOULD or an observation', () => {
    const open = [
      must('pass'),
      should('inconclusive'),
      { level: 'OBSERVED', outcome: 'inconclusive' } as const,
    ];
    expect(judgeRun(open)).toBe('conformant');
  });
});
