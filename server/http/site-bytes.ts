/** The bytes that items of sites hold together. */
export type SiteBytes<Item> = {
  readonly total: number;
  /** Sets the bytes of an item. A new item is the youngest of its site. */
  set(item: Item, site: string, bytes: number): void;
  remove(item: Item): void;
  /** The oldest item of the site with the most bytes; undefined if no site has any. */
  oldestOfLargest(): Item | undefined;
};

type Site<Item> = { bytes: number; readonly items: Map<Item, number> };

/** Counts bytes by site (D-224), so that a limit takes them from the site that holds the most. */
export function createSiteBytes<Item>(): SiteBytes<Item> {
  const sites = new Map<string, Site<Item>>();
  const siteOf = new Map<Item, string>();
  let total = 0;

  return {
    get total() {
      return total;
    },
    set(item, name, bytes) {
      const site = sites.get(name) ?? { bytes: 0, items: new Map() };
      const more = bytes - (site.items.get(item) ?? 0);
      sites.set(name, site);
      siteOf.set(item, name);
      site.items.set(item, bytes);
      site.bytes += more;
      total += more;
    },
    remove(item) {
      const name = siteOf.get(item);
      const site = name === undefined ? undefined : sites.get(name);
      if (name === undefined || site === undefined) return;
      const bytes = site.items.get(item) ?? 0;
      site.bytes -= bytes;
      total -= bytes;
      site.items.delete(item);
      siteOf.delete(item);
      if (site.items.size === 0) sites.delete(name);
    },
    oldestOfLargest() {
      let largest: Site<Item> | undefined;
      for (const site of sites.values()) if (site.bytes > (largest?.bytes ?? 0)) largest = site;
      return largest?.items.keys().next().value;
    },
  };
}
