import type { z } from 'zod';
import { type Environment, exampleOf, variableOf } from './environment.ts';
import { pathInFile, unknownSetting } from './unknown-setting.ts';

type Issue = z.core.$ZodIssue;

/** The errors of a setting: its path, its variable, the value where it can hold no secret, and what to write. */
export function validationErrors(issue: Issue, settings: object): string[] {
  const path = pathInFile(issue.path);
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownSetting([...path, key]));
  const variable = variableOf(issue.path);
  const message = missing(issue, settings) ?? mistyped(issue, settings) ?? issue.message;
  return [`${path.join('.')}${variable ? ` (${variable})` : ''}: ${message}`];
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
      if (issue.expected === 'boolean') return `is ${value}; it must be true or false`;
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
