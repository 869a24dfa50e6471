import { constants } from 'node:fs';
import { mkdir, open, rmdir } from 'node:fs/promises';

/**
 * The four things that are done to the kernel's report interface. They are plain file operations; what is not plain is
 * that the kernel fills a directory that is made and empties one that is removed.
 */
export interface TsmFiles {
  makeEntry(path: string): Promise<void>;
  /** One write; the kernel takes it when the file is closed, and says nothing when it does not. */
  write(path: string, content: Uint8Array): Promise<void>;
  /** To the end, whatever size the file claims; null when it is longer than that. */
  read(path: string, bytesMax: number): Promise<Uint8Array | null>;
  removeEntry(path: string): Promise<void>;
}

export const tsmFiles: TsmFiles = {
  async makeEntry(path) {
    await mkdir(path);
  },
  async write(path, content) {
    // `inblob` may only be written: asking to read it too, or to create it, is refused.
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
