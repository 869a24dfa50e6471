import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { listItems } from './list-items.ts';

/** A file of the page in one encoding. */
export type EncodedFile = {
  readonly type: string;
  readonly bytes: Buffer;
  /** `br`, `gzip`, or null for the bytes of the file. */
  readonly encoding: 'br' | 'gzip' | null;
  readonly etag: string;
};

export type BuiltFiles = {
  /** Returns the file in the best encoding of the client. Null for a name that the build did not make. */
  read(name: string, acceptEncoding: string | undefined): Promise<EncodedFile | null>;
};

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};

const compressors = {
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes, { level: 9 }),
} as const;

/**
 * Serves the files that `npm run build:web` made. It reads and compresses a file when a browser first asks for it, so
 * that a gateway without visitors pays nothing for its page. A file is compressed once in each encoding.
 */
export function createBuiltFiles(folder: URL): BuiltFiles {
  let names: ReadonlySet<string> | null = null;
  const kept = new Map<string, Promise<EncodedFile>>();
  return {
    async read(name, acceptEncoding) {
      names ??= new Set(readdirSync(folder, { recursive: true, encoding: 'utf8' }));
      const type = types[name.split('.').at(-1) ?? ''];
      if (type === undefined || !names.has(name)) return null;
      const encoding = chooseEncoding(acceptEncoding);
      const key = `${name} ${encoding}`;
      const file = kept.get(key) ?? encode(new URL(name, folder), type, encoding);
      kept.set(key, file);
      // A file that could not be read is read again.
      file.catch(() => kept.delete(key));
      return file;
    },
  };
}

function chooseEncoding(accept: string | undefined): EncodedFile['encoding'] {
  const accepted = listItems(accept).map((part) => part.toLowerCase());
  const takes = (name: string) =>
    accepted.some((part) => new RegExp(`^${name}\\s*(?:;\\s*q=(?!0(?:\\.0*)?$).*)?$`).test(part));
  if (takes('br')) return 'br';
  return takes('gzip') ? 'gzip' : null;
}

async function encode(url: URL, type: string, encoding: EncodedFile['encoding']): Promise<EncodedFile> {
  const plain = await readFile(url);
  const hash = createHash('sha256').update(plain).digest('base64url').slice(0, 22);
  const bytes = encoding === null ? plain : await compressors[encoding](plain);
  return { type, bytes, encoding, etag: `"${hash}${encoding === null ? '' : `-${encoding}`}"` };
}
