/**
 * The state of a store, read without a change to it. Faults stop a start or a sale, and warnings do not. Both are
 * sentences for the operator.
 */
export type StoreInspection = {
  /** Null for a store that does not exist yet. */
  readonly version: number | null;
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
  /** Further facts, such as the size. */
  readonly facts: readonly string[];
};

/** The warning for a store that the next start migrates. */
export function willMigrate(version: number, newest: number): string {
  return `the store has version ${version}, and the next start of this program migrates it to version ${newest}. Stop older gateways of the store first`;
}
