import { z } from 'zod';
import { type Environment, environmentSettings, exampleOf, variableOf } from './environment.ts';
import { renamedSettings } from './renamed.ts';
import { configSchema } from './schema.ts';

type Issue = z.core.$ZodIssue;

/** What is wrong with a setting: its path, its variable, the value where it can hold no secret, and what to write. */
export function validationErrors(issue: Issue, settings: object): string[] {
  const at = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => {
      const renamed = issue.path.length === 0 ? renamedSettings[key] : undefined;
      if (renamed !== undefined) return `${key}: is called ${renamed} now. Rename it.`;
      const path = [...issue.path.map(String), key];
      return `${path.join('.')}: there is no such setting${hintFor(path)}`;
    });
  const variable = variableOf(issue.path);
  const message = missing(issue, settings) ?? mistyped(issue, settings) ?? issue.message;
  return [`${at}${variable ? ` (${variable})` : ''}: ${message}`];
}

/** Says that a secret belongs in the environment, and nothing of its value. */
const secrets: Readonly<Record<string, string>> = {
  relayerkey: 'RELAYER_KEY or RELAYER_KEY_FILE',
  relayerkeys: 'RELAYER_KEY or RELAYER_KEY_FILE',
  relayerkeyfile: 'RELAYER_KEY_FILE',
  proofledgerkey: 'PROOF_LEDGER_KEY or PROOF_LEDGER_KEY_FILE',
  facilitatortoken: 'FACILITATOR_TOKEN',
  answerkey: 'ANSWER_KEY',
  databaseurl: 'DATABASE_URL',
};

/** The setting that was probably meant. */
function hintFor(path: readonly string[]): string {
  const key = path.at(-1) ?? '';
  const plain = key.toLowerCase().replaceAll(/[_-]/g, '');
  const secret = secrets[plain];
  if (secret !== undefined) return `; a secret is never in the file: set ${secret} in the environment`;
  const variable = Object.entries(environmentSettings).find(([name]) => name === key);
  if (variable !== undefined) return `; in the file it is ${variable[1].path.join('.')}`;
  const [nearest] = namesBeside(path)
    .map((name) => ({ name, distance: editDistance(plain, name.toLowerCase()) }))
    .filter(({ name, distance }) => distance <= Math.max(2, Math.floor(name.length / 3)))
    .sort((one, other) => one.distance - other.distance);
  return nearest === undefined ? '' : `; did you mean ${[...path.slice(0, -1), nearest.name].join('.')}?`;
}

/** The names that the schema has where this one stands. */
function namesBeside(path: readonly string[]): readonly string[] {
  let schema: unknown = configSchema;
  for (const name of path.slice(0, -1)) schema = Reflect.get(shapeOf(schema), name);
  return Object.keys(shapeOf(schema));
}

function shapeOf(schema: unknown): object {
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

/** How many letters must be added, left out or changed to make one word of the other. */
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

/** What to set where nothing is; null where something is that is wrong, or what the schema says is of more use. */
function missing({ path }: Issue, settings: object): string | null {
  const example = exampleOf(path);
  if (example === null || valueAt(settings, path) !== undefined) return null;
  return `is missing; set it, for example ${example}`;
}

/** A number or a choice is told with its value: none of them is a secret. Null for what the schema has words of its own for. */
function mistyped(issue: Issue, settings: object): string | null {
  const value = JSON.stringify(valueAt(settings, issue.path)) ?? 'missing';
  switch (issue.code) {
    case 'too_small':
      if (issue.origin === 'string') return 'is empty; write something, or leave it out';
      return `is ${value}; it must be ${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}`;
    case 'too_big':
      return issue.origin === 'string' ? null : `is ${value}; it must be at most ${issue.maximum}`;
    case 'invalid_value':
      return `is ${value}; it must be one of ${issue.values.join(', ')}`;
    case 'invalid_type':
      if (issue.expected === 'int') return `is ${value}; it must be a whole number`;
      if (issue.expected === 'number') return `is ${value}; it must be a number, in digits alone`;
      return issue.expected === 'object' ? 'must be a mapping of settings' : null;
    default:
      return null;
  }
}

function valueAt(settings: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    settings,
  );
}

const needs: readonly (readonly [string, string])[] = [
  ['RELAYER_KEY', 'CHAIN_RPC_URL'],
  ['RELAYER_KEY_FILE', 'CHAIN_RPC_URL'],
  ['PROOF_LEDGER_KEY', 'PROOF_LEDGER_RPC_URL'],
  ['PROOF_LEDGER_KEY_FILE', 'PROOF_LEDGER_RPC_URL'],
  ['FACILITATOR_TOKEN', 'FACILITATOR_URL'],
  ['ANSWER_KEY', 'DATABASE_URL'],
];
const groups: Readonly<Record<string, string>> = {
  CHAIN_RPC_URL: 'chain',
  PROOF_LEDGER_RPC_URL: 'proofLedger',
  FACILITATOR_URL: 'facilitator',
};

/** Variables that have no effect, each with the setting that it needs beside it. */
export function ignoredVariables(environment: Environment, settings: object): string[] {
  return needs
    .filter(
      ([name, other]) => environment[name] && !environment[other] && !((groups[other] ?? other) in settings),
    )
    .map(([name, other]) => `${name} is ignored, because ${other} is not set. Set both, or neither.`);
}
