import { describe, expect, it } from 'vitest';
import { broken, grade, holds, seen, unknown } from './verdict.ts';

describe('a verdict under its level', () => {
  it('fails a MUST and warns about a SHOULD', () => {
    const verdict = broken('status 402', '200');
    expect(grade('MUST', verdict)).toEqual({ outcome: 'fail', detail: 'expected status 402; got 200' });
    expect(grade('SHOULD', verdict).outcome).toBe('warn');
  });

  it('passes what holds', () => {
    expect(grade('MUST', holds()).outcome).toBe('pass');
    expect(grade('SHOULD', holds('refused')).detail).toBe('refused');
  });

  it('never turns a missing precondition green', () => {
    for (const level of ['MUST', 'SHOULD', 'OBSERVED'] as const) {
      expect(grade(level, unknown('no 402 was seen')).outcome).toBe('inconclusive');
    }
  });

  it('only observes where the contract shows nothing', () => {
    expect(grade('OBSERVED', seen('404')).outcome).toBe('observed');
  });

  it('takes a judgement of what is open, or an observation of a demand, for its own fault', () => {
    expect(grade('OBSERVED', broken('404', '405')).outcome).toBe('error');
    expect(grade('OBSERVED', holds()).outcome).toBe('error');
    expect(grade('MUST', seen('404')).outcome).toBe('error');
  });
});
