import { readdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type TsmFiles, tsmFiles } from '../../proof/attestation/tsm-files.ts';

/** The conduct of the fake in place of the hardware. */
export type KernelScript = {
  readonly provider: string;
  readonly outblob: (reportData: Buffer) => Uint8Array;
  readonly auxblob?: Uint8Array;
  readonly privlevelFloor?: number;
  /** Whether the kernel ignores a write, as after an overflow of its generations. */
  readonly ignoresWrites?: boolean;
  /** Errors by attribute, or by `entry` for its creation. An error applies while it is set. */
  readonly errors?: Readonly<Record<string, string>>;
  /** Awaited before the report is readable, to simulate slow hardware. */
  readonly hold?: Promise<void>;
  /** How often another process writes to our entry before we read the report. */
  readonly interleaved?: number;
};

export type FakeKernel = TsmFiles & {
  /** Names of the created entries, in order. */
  readonly entries: readonly string[];
  /** The written attributes with their content, in hex. */
  readonly writes: ReadonlyArray<readonly [attribute: string, content: string]>;
  /** Resolves when the first entry is removed. */
  readonly removed: Promise<void>;
};

/**
 * Fakes the kernel's report interface in a folder of real files, with real file operations. The fake adds the
 * kernel's part: it fills a new directory and reacts to writes.
 */
export function fakeKernel(script: KernelScript): FakeKernel {
  const entries: string[] = [];
  const writes: Array<readonly [string, string]> = [];
  const removed = Promise.withResolvers<void>();
  let interleaved = script.interleaved ?? 0;
  const put = (entry: string, name: string, content: Uint8Array | string) =>
    writeFileSync(join(entry, name), content);
  const advance = (entry: string) =>
    put(entry, 'generation', `${Number(readText(entry, 'generation')) + 1}\n`);

  return {
    entries,
    writes,
    removed: removed.promise,
    async makeEntry(path) {
      refuse('entry');
      await tsmFiles.makeEntry(path);
      entries.push(basename(path));
      put(path, 'generation', '0\n');
      put(path, 'provider', `${script.provider}\n`);
      put(path, 'inblob', '');
      put(path, 'outblob', '');
      if (script.auxblob) put(path, 'auxblob', '');
      if (script.privlevelFloor !== undefined) {
        put(path, 'privlevel', '');
        put(path, 'privlevel_floor', `${script.privlevelFloor}\n`);
      }
    },
    async write(path, content) {
      refuse(basename(path));
      await tsmFiles.write(path, content);
      writes.push([basename(path), Buffer.from(content).toString('hex')]);
      if (!script.ignoresWrites) advance(dirname(path));
    },
    async read(path, bytesMax) {
      const [entry, name] = [dirname(path), basename(path)];
      refuse(name);
      if (name === 'outblob') {
        await script.hold;
        put(entry, name, script.outblob(readFileSync(join(entry, 'inblob'))));
        if (interleaved > 0) advance(entry);
        interleaved -= 1;
      }
      if (name === 'auxblob' && script.auxblob) put(entry, name, script.auxblob);
      return tsmFiles.read(path, bytesMax);
    },
    async removeEntry(path) {
      for (const name of readdirSync(path)) unlinkSync(join(path, name));
      await tsmFiles.removeEntry(path);
      removed.resolve();
    },
  };

  function refuse(name: string): void {
    const code = script.errors?.[name];
    if (code !== undefined) throw Object.assign(new Error(`${code}: refused by the fake kernel`), { code });
  }
}

function readText(entry: string, name: string): string {
  return readFileSync(join(entry, name), 'utf8');
}
