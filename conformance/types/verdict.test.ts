import { describe, expect, it } from 'vitest';
import { broken, grade, holds, seen, unknown } from './verdict.ts';

describe('the outcome of a verdict', () => {
  it('is fail for a broken MUST and warn for a broken SHOULD', () => {
    const verdict = broken('status 402', '200');
    expect(grade('MUST', verdict)).toEqual({ outcome: 'fail', detail: 'expected status 402; got 200' });
    expect(grade('SHOULD', verdict).outcome).toBe('warn');
  });

  it('is pass for a met requirement', () => {
    expect(grade('MUST', holds()).outcome).toBe('pass');
    expect(grade('SHOULD', holds('refused')).detail).toBe('refused');
  });

  it('is inconclusive for a missing precondition', () => {
    for (const level of ['MUST', 'SHOULD', 'OBSERVED'] as const) {
      expect(grade(level, unknown('no 402 was seen')).outcome).toBe('inconclusive');
    }
  });

  it('is observed for behaviour that the contract leaves open', () => {
    expect(grade('OBSERVED', seen('404')).outcome).toBe('observed');
  });

  it('is error for a verdict that does not fit the level', () => {
    expect(grade('OBSERVED', broken('404', '405')).outcome).toBe('error');
    expect(grade('OBSERVED', holds()).outcome).toBe('error');
    expect(grade('MUST', seen('404')).outcome).toBe('error');
  });
});
