import { randomInt } from 'node:crypto';

/** A number from 0 up to, and without, 1. It is a parameter, so that a test can choose it. */
export type Random = () => number;

const steps = 2 ** 32;

export const systemRandom: Random = () => randomInt(steps) / steps;
