import { constants } from 'node:fs';
import { mkdir, open, rmdir } from 'node:fs/promises';

/**
 * The four operations on the kernel's report interface, as plain file operations. The kernel fills a new
 * directory with files, and empties a directory that is removed.
 */
export interface TsmFiles {
  makeEntry(path: string): Promise<void>;
  /**
   * Writes once. The kernel reads the content when the file is closed, and reports no error when it ignores it.
   */
  write(path: string, content: Uint8Array): Promise<void>;
  /** Reads to the end, whatever the size field of the file; null when the file is longer than `bytesMax`. */
  read(path: string, bytesMax: number): Promise<Uint8Array | null>;
  removeEntry(path: string): Promise<void>;
}

export const tsmFiles: TsmFiles = {
  async makeEntry(path) {
    await mkdir(path);
  },
  async write(path, content) {
    // The kernel rejects to create `inblob`, and to open it for reading.
    const file = await open(path, constants.O_WRONLY);
    try {
      await file.write(content);
    } finally {
      await file.close();
    }
  },
  async read(path, bytesMax) {
    const file = await open(path, constants.O_RDONLY);
    try {
      const content = Buffer.alloc(bytesMax + 1);
      let length = 0;
      while (length < content.length) {
        const { bytesRead } = await file.read(content, length, content.length - length, null);
        if (bytesRead === 0) return content.subarray(0, length);
        length += bytesRead;
      }
      return null;
    } finally {
      await file.close();
    }
  },
  async removeEntry(path) {
    await rmdir(path);
  },
};
