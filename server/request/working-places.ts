import type { PaidPorts } from './paid-request.ts';

type PlacePorts = Pick<PaidPorts, 'inFlight' | 'settler' | 'unsettledWaits'> & {
  readonly limits: Pick<PaidPorts['limits'], 'concurrentInferencesMax'>;
};

/** The paid requests that hold places: all but those that only wait for the chain, and can leave (D-359). */
export function countPlaces({ inFlight, settler, unsettledWaits }: PlacePorts): number {
  return inFlight.size - settler.waiting() - unsettledWaits.size;
}

/**
 * Ends a wait if the gateway has more paid requests than places. A request that waits to reserve its payment goes first,
 * because nothing is done for it yet.
 */
export function makeRoom(ports: PlacePorts): void {
  const { inFlight, settler, unsettledWaits, limits } = ports;
  if (inFlight.size > limits.concurrentInferencesMax && !unsettledWaits.giveWay()) settler.giveWay();
}
