import { readFileSync } from 'node:fs';

/** What a container engine does with the last stage of a Containerfile. */
export type Image = {
  readonly environment: Readonly<Record<string, string>>;
  readonly user: string;
  readonly workingFolder: string;
  readonly healthCheck: readonly string[];
  readonly entryPoint: readonly string[];
  /** The commands of all stages. */
  readonly commands: readonly string[];
};

/** Reads the instructions that this project uses. Throws for another one, which a test would otherwise ignore. */
export function readContainerfile(path: string): Image {
  const lines = readFileSync(path, 'utf8')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .trim()
    .split('\n');
  const instructions = lines
    .filter((line) => line !== '')
    .map((line) => /^(\w+)\s+(.*)$/.exec(line)?.slice(1) ?? []);
  const known = ['FROM', 'WORKDIR', 'COPY', 'RUN', 'USER', 'ENV', 'EXPOSE', 'HEALTHCHECK', 'ENTRYPOINT'];
  const unknown = instructions.filter(([name = '']) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`unknown instructions: ${JSON.stringify(unknown)}`);
  const last = instructions.slice(instructions.findLastIndex(([name]) => name === 'FROM'));
  const read = (wanted: string) => last.findLast(([name]) => name === wanted)?.[1] ?? '';
  const pairs = read('ENV')
    .split(/\s+/)
    .map((pair) => pair.split(/=(.*)/s).slice(0, 2) as [string, string]);
  return {
    environment: Object.fromEntries(pairs),
    user: read('USER'),
    workingFolder: read('WORKDIR'),
    healthCheck: JSON.parse(/CMD (\[.*\])$/.exec(read('HEALTHCHECK'))?.[1] ?? '[]'),
    entryPoint: JSON.parse(read('ENTRYPOINT')),
    commands: instructions.flatMap(([name, value = '']) => (name === 'RUN' ? [value] : [])),
  };
}
