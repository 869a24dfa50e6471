import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The programs of a stack, in its `stack.json`. STACKS.md explains them. */
export type Stack = {
  /** The name of its folder. */
  readonly name: string;
  readonly title: string;
  /** Programs of the toolchain that must be on the PATH. */
  readonly needs: readonly string[];
  readonly steps: readonly Step[];
  readonly explained?: readonly { readonly text: string; readonly reason: string }[];
  /** Left out for all scenarios. */
  readonly scenarios?: readonly string[];
  readonly run: readonly string[];
  /** Left out if the stack does not check the vectors. */
  readonly vectors?: readonly string[];
};

export type Step = {
  readonly name: string;
  readonly command: readonly string[];
  /** Files of an installation. The step is left out while they are the same as at its last success. */
  readonly lock?: readonly string[];
};

/** The folder of all stacks. */
export const stacksFolder = import.meta.dirname;

const generated = join(stacksFolder, '..', '..', 'generated');

/** The variables with the paths of generated files, for the steps and commands of a stack. */
export const documents = {
  OPENAPI_30: join(generated, 'openapi.3.0.json'),
  OPENAPI_31: join(generated, 'openapi.json'),
  VECTORS: join(generated, 'vectors.json'),
} as const;

/** Reads all stacks, in the order of their names. */
export function readStacks(): readonly Stack[] {
  return readdirSync(stacksFolder)
    .filter((name) => existsSync(join(stacksFolder, name, 'stack.json')))
    .sort()
    .map((name) => ({
      ...JSON.parse(readFileSync(join(stacksFolder, name, 'stack.json'), 'utf8')),
      name,
    }));
}

/** The programs of the toolchain that this machine lacks. */
export function listMissing({ needs }: Pick<Stack, 'needs'>, path: string): readonly string[] {
  const folders = path.split(delimiter);
  return needs.filter((program) => !folders.some((folder) => existsSync(join(folder, program))));
}
