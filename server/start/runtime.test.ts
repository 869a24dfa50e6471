import { expect, it } from 'vitest';
import { findRuntimeFault } from './runtime.ts';

it('names the oldest Node that can run the gateway', () => {
  expect(findRuntimeFault('24.0.0')).toBeNull();
  expect(findRuntimeFault('100.1.0')).toBeNull();
  expect(findRuntimeFault('20.19.0')).toBe('The gateway needs Node 24 or later. This is Node 20.19.0.');
});
