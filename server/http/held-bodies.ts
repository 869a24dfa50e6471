/** A body in memory: its bytes, its members and items, and its names that may be indexes of an array. */
type Size = { readonly bytes: number; readonly values: number; readonly indexNames: number };

/** Holds a body. Returns the function that gives its bytes back, or null if there is no room. */
export type HoldBody = (site: string, size: Size) => (() => void) | null;

/** Smaller bodies are not counted. Each takes little memory, also while its work goes on without its client. */
const countedBytesMin = 2_048;
/** Each member and item counts these bytes beside its text: an empty object has three, and takes eighty in memory. */
const bytesOfValue = 8;
/** Each such name counts these bytes more: an object with the one name "34" has room for 35 items in memory. */
const bytesOfIndexName = 100;
/** A site with several bodies may hold this part of the limit. */
const ofLimit = 1 / 4;
/** A site may hold this part of the bytes that the other sites leave, so that a few sites never fill the limit. */
const ofRest = 1 / 2;

/**
 * Bounds the bytes of all large bodies whose requests are in progress (D-408). A body in memory takes up to ten times its
 * bytes. One site (D-224) may hold a part of the limit, or one body, and always leaves room for others.
 */
export function createHeldBodies(heldBytesMax: number): HoldBody {
  const ofSites = new Map<string, number>();
  let total = 0;
  return (site, { bytes: ofText, values, indexNames }) => {
    const bytes = Math.min(heldBytesMax, ofText + bytesOfValue * values + bytesOfIndexName * indexNames);
    if (bytes < countedBytesMin) return () => {};
    const own = ofSites.get(site) ?? 0;
    const rest = (heldBytesMax - (total - own)) * ofRest;
    const share = own > 0 ? Math.min(rest, heldBytesMax * ofLimit) : rest;
    // Without other bodies, one of any size is held.
    if (total > 0 && own + bytes > share) return null;
    add(site, bytes);
    let isHeld = true;
    return () => {
      if (isHeld) add(site, -bytes);
      isHeld = false;
    };
  };

  function add(site: string, bytes: number): void {
    total += bytes;
    const own = (ofSites.get(site) ?? 0) + bytes;
    if (own > 0) ofSites.set(site, own);
    else ofSites.delete(site);
  }
}
