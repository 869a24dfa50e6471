import { expect, it } from 'vitest';
import { runtimeFault } from './runtime.ts';

it('asks for a Node that runs it', () => {
  expect(runtimeFault('24.0.0')).toBeUndefined();
  expect(runtimeFault('100.1.0')).toBeUndefined();
  expect(runtimeFault('20.19.0')).toBe('needs Node 22 or later; this is 20.19.0');
});
