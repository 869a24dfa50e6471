import { expect, it } from 'vitest';
import { createYieldingWaits } from '../types/yielding-waits.ts';
import type { PaidPorts } from './paid-request.ts';
import { countPlaces, makeRoom } from './working-places.ts';

/** A gateway with three places and some paid requests, one of which waits for its settlement. */
function open(size: number) {
  const settlements = createYieldingWaits();
  settlements.begin('home');
  const unsettledWaits = createYieldingWaits();
  const ports = {
    inFlight: { size } as PaidPorts['inFlight'],
    settler: { waiting: () => settlements.size, giveWay: settlements.giveWay } as PaidPorts['settler'],
    unsettledWaits,
    limits: { concurrentInferencesMax: 3 },
  };
  return { ports, settlements, unsettledWaits };
}

it('Requests that wait for the chain hold no places, before their inference and after it (D-359)', () => {
  const { ports, unsettledWaits } = open(3);
  expect(countPlaces(ports)).toBe(2);
  unsettledWaits.begin('farm');
  expect(countPlaces(ports)).toBe(1);
});

it('A full gateway ends a wait before the inference first, then one after it (D-359)', () => {
  const { ports, settlements, unsettledWaits } = open(4);
  unsettledWaits.begin('farm');
  makeRoom(ports);
  expect([unsettledWaits.size, settlements.size]).toEqual([0, 1]);
  makeRoom(ports);
  expect(settlements.size).toBe(0);
});

it('A gateway that is not full ends no wait (D-359)', () => {
  const { ports, settlements } = open(3);
  makeRoom(ports);
  expect(settlements.size).toBe(1);
});
