/** The oldest Node that has all modules that the gateway imports. */
const nodeMajorMin = 24;

/** Returns a fault for a Node that is too old, else null. This file imports nothing, so that every Node loads it. */
export function findRuntimeFault(nodeVersion: string): string | null {
  return Number.parseInt(nodeVersion, 10) >= nodeMajorMin
    ? null
    : `The gateway needs Node ${nodeMajorMin} or later. This is Node ${nodeVersion}.`;
}
