import { StoreUnavailable } from '../store.ts';

export type GroupLimits = {
  /** The most calls in one group. */
  readonly groupMax: number;
  /** How many groups run at once. Further calls gather until one of them ends. */
  readonly groupsMax: number;
  /** How many calls may gather; one more is rejected at once. */
  readonly waitingMax: number;
};

type Call<Item, Result> = PromiseWithResolvers<Result> & { readonly item: Item };

/**
 * Runs concurrent calls of one operation as one statement, so that they share a round trip and a commit.
 * `runGroup` returns one result for each item, in their order. After a defect each call runs alone, because one
 * wrong item must not reject the others.
 */
export function inGroups<Item, Result>(
  runGroup: (items: readonly Item[]) => Promise<readonly Result[]>,
  { groupMax, groupsMax, waitingMax }: GroupLimits,
): (item: Item) => Promise<Result> {
  let gathered: Call<Item, Result>[] = [];
  let underWay = 0;
  return (item) => {
    if (gathered.length >= waitingMax)
      return Promise.reject(new StoreUnavailable(`${waitingMax} operations already wait for the store`));
    const call = { ...Promise.withResolvers<Result>(), item };
    // All calls of one turn of the event loop go into one group.
    if (gathered.push(call) === 1) setImmediate(start);
    return call.promise;
  };

  function start(): void {
    while (gathered.length > 0 && underWay < groupsMax) {
      const group = gathered.slice(0, groupMax);
      gathered = gathered.slice(groupMax);
      underWay++;
      void serve(group).finally(() => {
        underWay--;
        start();
      });
    }
  }

  async function serve(group: readonly Call<Item, Result>[]): Promise<void> {
    try {
      const results = await runGroup(group.map(({ item }) => item));
      for (const [at, call] of group.entries()) call.resolve(results[at] as Result);
    } catch (cause) {
      if (group.length === 1 || cause instanceof StoreUnavailable)
        for (const { reject } of group) reject(cause);
      else for (const call of group) await serve([call]);
    }
  }
}
