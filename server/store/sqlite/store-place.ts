/** Where the store is. */
export type StorePlace = {
  /** The path of the file itself, without symbolic links. SQLite keeps its other files beside it (D-209). */
  readonly path: string;
  /** The path that the operator set. */
  readonly link: string;
};
