import type { z } from 'zod';
import { type Environment, findVariable, formatExample } from './environment.ts';
import { pathInFile, unknownSetting } from './unknown-setting.ts';

type Issue = z.core.$ZodIssue;

/** Formats the errors of a setting: path, variable, value if it can hold no secret, and the remedy. */
export function validationErrors(issue: Issue, settings: object): string[] {
  const path = pathInFile(issue.path);
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownSetting([...path, key]));
  const variable = findVariable(issue.path);
  const message = missing(issue, settings) ?? mistyped(issue, settings) ?? issue.message;
  return [`${path.join('.')}${variable ? ` (${variable})` : ''}: ${message}`];
}

/**
 * The error of a missing setting, with an example. Null if the setting has a value, or if the schema's message
 * is better.
 */
function missing({ path }: Issue, settings: object): string | null {
  const example = formatExample(path);
  if (example === null || valueAt(settings, path) !== undefined) return null;
  return `is missing; set it, for example ${example}`;
}

/** The error of a number, a choice or a text. Null if the schema has its own message. */
function mistyped(issue: Issue, settings: object): string | null {
  const given = valueAt(settings, issue.path);
  const value = showValue(given);
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
      if (issue.expected === 'string' && !hasOwnMessage(issue)) return mustBeText(given);
      return issue.expected === 'object' ? 'must be a mapping of settings' : null;
    default:
      return null;
  }
}

function hasOwnMessage({ message }: Issue): boolean {
  return !message.startsWith('Invalid input');
}

function mustBeText(given: unknown): string {
  return typeof given === 'object' ? 'must be text' : 'must be text; write it in quotation marks';
}

/** The longest value that an error shows. */
const shownMax = 60;

/** Shows a value. A URL in the wrong place may have a password. */
function showValue(value: unknown): string {
  // JSON has no infinite number, and would show it as null.
  const text = (typeof value === 'number' ? String(value) : JSON.stringify(value)) ?? 'missing';
  return text.length > shownMax || text.includes('://') ? 'another value' : text;
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
  ['COMPLETION_KEY', 'DATABASE_URL'],
];
const groups: Readonly<Record<string, string>> = {
  CHAIN_RPC_URL: 'chain',
  PROOF_LEDGER_RPC_URL: 'proofLedger',
  FACILITATOR_URL: 'facilitator',
};

/** Warnings about variables that have no effect without another setting. */
export function ignoredVariables(environment: Environment, settings: object): string[] {
  return needs
    .filter(
      ([name, other]) => environment[name] && !environment[other] && !((groups[other] ?? other) in settings),
    )
    .map(([name, other]) => `${name} is ignored, because ${other} is not set. Set both, or neither.`);
}
