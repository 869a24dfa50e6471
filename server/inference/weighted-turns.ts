/**
 * Chooses one of the given places in turn, each as often as its weight says, and spread evenly: with the weights 3 and
 * 1 the turns are 0, 0, 1, 0. There must be a place at least.
 */
type WeightedTurns = (among: readonly number[]) => number;

/** Creates turns for the places of the weights. This is the smooth weighted round robin of nginx. */
export function createWeightedTurns(weights: readonly number[]): WeightedTurns {
  const credits = weights.map(() => 0);
  const creditOf = (place: number) => credits[place] ?? 0;
  return (among) => {
    let total = 0;
    for (const place of among) {
      const weight = weights[place] ?? 0;
      credits[place] = creditOf(place) + weight;
      total += weight;
    }
    const chosen = among.reduce((best, place) => (creditOf(place) > creditOf(best) ? place : best));
    credits[chosen] = creditOf(chosen) - total;
    return chosen;
  };
}
