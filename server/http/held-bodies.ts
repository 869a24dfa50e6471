/** Holds the bytes of a body. Returns the function that gives them back, or null if there is no room. */
export type HoldBody = (network: string, bytes: number) => (() => void) | null;

/** Smaller bodies are not counted. On all connections together, they are smaller than the limit. */
const countedBytesMin = 16_384;
/** Networks that fill the limit together. */
const networksMin = 4;

/**
 * Bounds the bytes of all large bodies whose requests are in progress (D-408). A body in memory takes up to ten times its
 * bytes. One network may hold a part of the limit, or one body.
 */
export function createHeldBodies(heldBytesMax: number): HoldBody {
  const ofNetworks = new Map<string, number>();
  let total = 0;
  return (network, bytes) => {
    if (bytes < countedBytesMin) return () => {};
    const own = ofNetworks.get(network) ?? 0;
    if (total + bytes > heldBytesMax || (own > 0 && own + bytes > heldBytesMax / networksMin)) return null;
    add(network, bytes);
    let isHeld = true;
    return () => {
      if (isHeld) add(network, -bytes);
      isHeld = false;
    };
  };

  function add(network: string, bytes: number): void {
    total += bytes;
    const own = (ofNetworks.get(network) ?? 0) + bytes;
    if (own > 0) ofNetworks.set(network, own);
    else ofNetworks.delete(network);
  }
}
