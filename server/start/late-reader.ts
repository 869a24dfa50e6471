import type { StoreReader } from '../store/reader.ts';
import type { StartOptions } from './start-options.ts';

/** A reader of the store that opens at its first use. */
export type LateReader = {
  /** Null for a store that does not exist. A store that could not be opened is tried again. */
  open(): Promise<StoreReader | null>;
  close(): Promise<void>;
};

export function createLateReader({ config, store = null }: StartOptions): LateReader {
  // Only a gateway with visitors needs a second connection to its store.
  const openStore = async () => (await import('./open-reader.ts')).openReader(config, store);
  let reader: Promise<StoreReader | null> | null = null;
  return {
    open() {
      reader ??= openStore().catch((cause) => {
        reader = null;
        throw cause;
      });
      return reader;
    },
    async close() {
      await (await reader?.catch(() => null))?.close();
    },
  };
}
