import { readFileSync } from 'node:fs';

/** The fields of this package's `package.json` that the program shows. */
type Manifest = {
  readonly bin: object;
  readonly version: string;
  readonly peerDependencies: Readonly<Record<string, string>>;
};

export function readManifest(): Manifest {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as Manifest;
}
