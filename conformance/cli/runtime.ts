/** What the suite is written for; the packed one starts on an older Node too, and would fail somewhere. */
const nodeMajorMin = 24;

/** What to say to whoever starts it on an older Node; undefined where there is nothing to say. */
export function runtimeFault(nodeVersion: string): string | undefined {
  return Number.parseInt(nodeVersion, 10) >= nodeMajorMin
    ? undefined
    : `needs Node ${nodeMajorMin} or later; this is ${nodeVersion}`;
}
