/** The oldest Node that the packed suite is tested on. On an older one it would start, and fail somewhere. */
const nodeMajorMin = 22;

/** What to say to whoever starts it on an older Node; undefined where there is nothing to say. */
export function runtimeFault(nodeVersion: string): string | undefined {
  return Number.parseInt(nodeVersion, 10) >= nodeMajorMin
    ? undefined
    : `needs Node ${nodeMajorMin} or later; this is ${nodeVersion}`;
}
