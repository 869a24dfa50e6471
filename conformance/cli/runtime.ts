/** The oldest Node that the packed suite is tested on. The suite would start on an older one and fail later. */
const nodeMajorMin = 22;

/** A fault for a Node that is too old, otherwise undefined. */
export function runtimeFault(nodeVersion: string): string | undefined {
  return Number.parseInt(nodeVersion, 10) >= nodeMajorMin
    ? undefined
    : `the suite needs Node ${nodeMajorMin} or later; this is Node ${nodeVersion}`;
}
