/** Waiting items of several owners, in fair order. */
export type FairQueue<Item> = {
  add(owner: string, item: Item): void;
  isEmpty(): boolean;
  /** The first item; null if none waits. `take` removes it, and charges its cost to its owner. */
  first(): { readonly owner: string; readonly item: Item; take(cost: number): void } | null;
};

/** The waiting items of an owner. `start` is the sum of costs at which its first item is due. */
type Owner<Item> = { readonly items: Item[]; start: number };

/** Owners without items whose earlier costs still count. */
const servedMax = 4_096;

/**
 * The owner with the least cost so far comes first, so that an item of high cost counts as much as many of low cost of
 * another owner. A new owner starts where the present ones stand: else all others would wait until it has caught up.
 */
export function createFairQueue<Item>(): FairQueue<Item> {
  const owners = new Map<string, Owner<Item>>();
  /** Where an owner without items goes on. */
  const served = new Map<string, number>();
  /** A new owner starts here. It moves on by an equal share of each cost. */
  let position = 0;
  return {
    add(name, item) {
      const owner = owners.get(name);
      if (owner) owner.items.push(item);
      else owners.set(name, { items: [item], start: Math.max(position, served.get(name) ?? 0) });
    },
    isEmpty: () => owners.size === 0,
    first() {
      const [name, owner] = findFirst() ?? [];
      const item = owner?.items[0];
      if (name === undefined || !owner || item === undefined) return null;
      return { owner: name, item, take: (cost) => take(name, owner, cost) };
    },
  };

  function findFirst(): readonly [string, Owner<Item>] | null {
    let first: readonly [string, Owner<Item>] | null = null;
    for (const each of owners) if (first === null || each[1].start < first[1].start) first = each;
    return first;
  }

  function take(name: string, owner: Owner<Item>, cost: number): void {
    owner.items.shift();
    position = Math.max(position, owner.start) + cost / owners.size;
    owner.start += cost;
    if (owner.items.length === 0) forget(name, owner);
  }

  /** Removes an owner without items. Its costs still count for a while. */
  function forget(name: string, { start }: Owner<Item>): void {
    owners.delete(name);
    served.delete(name);
    served.set(name, start);
    for (const oldest of served.keys()) {
      if (served.size <= servedMax) break;
      served.delete(oldest);
    }
  }
}
