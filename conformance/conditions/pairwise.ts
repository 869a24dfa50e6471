/** The values that each factor can have. */
export type Factors = Readonly<Record<string, readonly unknown[]>>;

/** One value for each factor. */
export type Row<F extends Factors> = { readonly [Name in keyof F]: F[Name][number] };

type Choice = Readonly<Record<string, number>>;

/**
 * Builds rows that contain each pair of values of two factors at least once, except the pairs that `isPossible`
 * forbids. Each row starts from the first missing pair. The other factors get the value that covers most
 * missing pairs, or of several such values the least used. The result is deterministic.
 */
export function pairwise<F extends Factors>(
  factors: F,
  isPossible: (row: Partial<Row<F>>) => boolean = () => true,
): readonly Row<F>[] {
  const names = Object.keys(factors);
  const readValues = (choice: Choice) =>
    Object.fromEntries(
      Object.entries(choice).map(([name, index]) => [name, factors[name]?.[index]]),
    ) as Partial<Row<F>>;
  const isAllowed = (choice: Choice) => isPossible(readValues(choice));
  const missing = new Map(
    listPairs(factors)
      .filter(isAllowed)
      .map((pair) => [writeKey(pair), pair]),
  );
  const used = new Map<string, number>();
  const rows: Choice[] = [];

  function gain(choice: Choice, name: string, index: number): number {
    const others = Object.entries(choice);
    return others.filter(([other, at]) => missing.has(writeKey({ [other]: at, [name]: index }))).length;
  }

  function completed(start: Choice): Choice | undefined {
    const [name] = names.filter((each) => start[each] === undefined);
    if (name === undefined) return start;
    const ranked = (factors[name] ?? []).map((_, index) => ({
      index,
      pairs: gain(start, name, index),
      uses: used.get(writeKey({ [name]: index })) ?? 0,
    }));
    const inOrder = ranked.toSorted((one, other) => other.pairs - one.pairs || one.uses - other.uses);
    for (const { index } of inOrder) {
      const next = { ...start, [name]: index };
      const row = isAllowed(next) ? completed(next) : undefined;
      if (row) return row;
    }
    return undefined;
  }

  for (const pair of missing.values()) {
    const row = completed(pair);
    // No possible row contains this pair.
    missing.delete(writeKey(pair));
    if (!row) continue;
    rows.push(row);
    for (const covered of pairsIn(row)) missing.delete(writeKey(covered));
    for (const [name, index] of Object.entries(row)) {
      const key = writeKey({ [name]: index });
      used.set(key, (used.get(key) ?? 0) + 1);
    }
  }
  // Every row has a value for every factor.
  return rows.map((row) => readValues(row) as Row<F>);
}

function listPairs(factors: Factors): readonly Choice[] {
  const all = Object.entries(factors);
  return all.flatMap(([one, values], at) =>
    all
      .slice(at + 1)
      .flatMap(([other, others]) =>
        values.flatMap((_, index) => others.map((__, otherIndex) => ({ [one]: index, [other]: otherIndex }))),
      ),
  );
}

function pairsIn(row: Choice): readonly Choice[] {
  const entries = Object.entries(row);
  return entries.flatMap(([one, index], at) =>
    entries.slice(at + 1).map(([other, otherIndex]) => ({ [one]: index, [other]: otherIndex })),
  );
}

function writeKey(choice: Choice): string {
  return Object.entries(choice)
    .map(([name, index]) => `${name}=${index}`)
    .sort()
    .join(' ');
}
