import { z } from 'zod';
import { environmentSettings } from './environment.ts';
import { renamedSettings } from './renamed.ts';
import { advancedSettings, configSchema } from './schema.ts';

/** The path of a setting in the file: `bodyBytesMax` in the program is `advanced.bodyBytesMax` in the file. */
export function pathInFile(path: readonly PropertyKey[]): readonly string[] {
  const names = path.map(String);
  return Object.hasOwn(advancedSettings, names[0] ?? '') ? ['advanced', ...names] : names;
}

/** The error for an unknown setting, with the most similar setting. */
export function unknownSetting(path: readonly string[]): string {
  const at = path.join('.');
  const flat = withoutAdvanced(path);
  const name = flat.length === 1 ? own(renamedSettings, flat[0] ?? '') : undefined;
  if (name === undefined) return `${at}: there is no such setting${hintFor(path)}`;
  if (path.length > 1) return `${at}: is called ${name} now. Rename it.`;
  return `${at}: is called ${name} now, and is under advanced. Write advanced: { ${name}: ... }.`;
}

/** The value of an own member: a setting may be called `toString`. */
function own(names: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(names, name) ? names[name] : undefined;
}

/** Secrets that belong into the environment. The error contains no value. */
const secrets: Readonly<Record<string, string>> = {
  relayerkey: 'RELAYER_KEY or RELAYER_KEY_FILE',
  relayerkeys: 'RELAYER_KEY or RELAYER_KEY_FILE',
  relayerkeyfile: 'RELAYER_KEY_FILE',
  proofledgerkey: 'PROOF_LEDGER_KEY or PROOF_LEDGER_KEY_FILE',
  facilitatortoken: 'FACILITATOR_TOKEN',
  completionkey: 'COMPLETION_KEY',
  answerkey: 'COMPLETION_KEY',
  databaseurl: 'DATABASE_URL',
};

function hintFor(path: readonly string[]): string {
  const key = path.at(-1) ?? '';
  const plain = key.toLowerCase().replaceAll(/[_-]/g, '');
  const secret = own(secrets, plain);
  if (secret !== undefined) return `; a secret is never in the file: set ${secret} in the environment`;
  const variable = Object.entries(environmentSettings).find(([name]) => name === key);
  if (variable !== undefined) return `; in the file it is ${variable[1].path.join('.')}`;
  const [nearest] = namesBeside(withoutAdvanced(path))
    .map((names) => ({ names, name: names.at(-1) ?? '' }))
    .map(({ names, name }) => ({ names, name, distance: editDistance(plain, name.toLowerCase()) }))
    .filter(({ name, distance }) => distance <= Math.max(2, Math.floor(name.length / 3)))
    .sort((one, other) => one.distance - other.distance);
  return nearest === undefined ? '' : `; did you mean ${nearest.names.join('.')}?`;
}

function withoutAdvanced(path: readonly string[]): readonly string[] {
  return path.length > 1 && path[0] === 'advanced' ? path.slice(1) : path;
}

/** The settings that are valid beside this one in the file, each with its path. */
function namesBeside(path: readonly string[]): readonly (readonly string[])[] {
  const groups = path.slice(0, -1);
  let schema: unknown = configSchema;
  for (const name of groups) schema = Reflect.get(findShape(schema), name);
  const names = Object.keys(findShape(schema)).map((name) => pathInFile([...groups, name]));
  return groups.length === 0 ? [...names, ['advanced']] : names;
}

function findShape(schema: unknown): object {
  let inner = schema;
  while (
    inner instanceof z.ZodOptional ||
    inner instanceof z.ZodDefault ||
    inner instanceof z.ZodPrefault ||
    inner instanceof z.ZodNullable
  )
    inner = inner.unwrap();
  return inner instanceof z.ZodObject ? inner.shape : {};
}

/** The number of letters to add, remove or change to turn one word into the other. */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const changed = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
