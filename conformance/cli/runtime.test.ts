import { expect, it } from 'vitest';
import { runtimeFault } from './runtime.ts';

it('names the oldest supported Node', () => {
  expect(runtimeFault('24.0.0')).toBeUndefined();
  expect(runtimeFault('100.1.0')).toBeUndefined();
  expect(runtimeFault('20.19.0')).toBe('the suite needs Node 22 or later; this is Node 20.19.0');
});
