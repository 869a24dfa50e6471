import type { Environment } from './environment.ts';

/** The old names of settings, with their present names (spec/GLOSSARY.md). */
export const renamedSettings: Readonly<Record<string, string>> = {
  ledgerAskMs: 'storePollMs',
  ledgerKeepMs: 'maintenanceMs',
  storeAskMs: 'storePollMs',
  storeKeepMs: 'maintenanceMs',
  proofAskMs: 'proofPollMs',
  ledgerConnectionsMax: 'storeConnectionsMax',
  rpcLookMs: 'rpcProbeMs',
  lookBackBlocks: 'logBlocksMax',
  answerKeepSeconds: 'completionKeepSeconds',
  privateAnswerKeepSeconds: 'privateCompletionKeepSeconds',
  refusedAnswerKeepSeconds: 'refusedCompletionKeepSeconds',
  rpcAnswerBytesMax: 'rpcResponseBytesMax',
  upstreamAnswerBytesMax: 'upstreamResponseBytesMax',
};

/** The old names of variables, with their present names. */
const renamedVariables: Readonly<Record<string, string>> = {
  LEDGER_URL: 'DATABASE_URL',
  ANSWER_KEY: 'COMPLETION_KEY',
};

/** Reports each variable that is set under its old name. */
export function renamedVariableFaults(environment: Environment): string[] {
  return Object.entries(renamedVariables)
    .filter(([old]) => environment[old])
    .map(([old, name]) => `${old}: is called ${name} now. Rename it.`);
}

/** Whether a variable is set under its old name. Then it is not missing, and needs no second error. */
export function isSetUnderOldName(name: string, environment: Environment): boolean {
  return Object.entries(renamedVariables).some(([old, present]) => present === name && environment[old]);
}
