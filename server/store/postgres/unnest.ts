/**
 * A table of a statement's parameters in SQL: one array for each column, and one row for each place. Its last
 * column is `place`, from 1.
 */
export function unnest(columns: readonly (readonly [name: string, type: string])[], table: string): string {
  const arrays = columns.map(([, type], at) => `$${at + 1}::${type}[]`);
  return `unnest(${arrays.join(', ')}) WITH ORDINALITY AS ${table} (${columns.map(([name]) => name).join(', ')}, place)`;
}

/** Turns the rows of the items, of which there is one at least, into the arrays of their columns. */
export function toArrays(rows: readonly (readonly unknown[])[]): readonly (readonly unknown[])[] {
  return (rows[0] ?? []).map((_, column) => rows.map((row) => row[column]));
}
