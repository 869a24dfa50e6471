/**
 * Measures the targets in turn, round after round, so that a change of the machine's speed meets all of them.
 * Every second round runs backwards, and every two rounds another target is the first: otherwise a target would follow
 * the same slow one in each round. The first round warms up and does not count.
 */
export async function interleave<Of, Figures>(
  targets: readonly Of[],
  rounds: number,
  measure: (target: Of, round: number) => Promise<Figures>,
): Promise<ReadonlyMap<Of, readonly Figures[]>> {
  const measured = new Map<Of, Figures[]>(targets.map((target) => [target, []]));
  for (let round = 0; round <= rounds; round++) {
    const order = round % 2 === 0 ? targets : targets.toReversed();
    for (let at = 0; at < order.length; at++) {
      const target = order[(at + Math.floor(round / 2)) % order.length] as Of;
      const figures = await measure(target, round);
      if (round > 0) measured.get(target)?.push(figures);
    }
  }
  return measured;
}
