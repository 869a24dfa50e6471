/** The old names of settings, with their present names (spec/GLOSSARY.md). */
export const renamedSettings: Readonly<Record<string, string>> = {
  ledgerAskMs: 'storeAskMs',
  ledgerKeepMs: 'storeKeepMs',
  ledgerConnectionsMax: 'storeConnectionsMax',
  rpcLookMs: 'rpcProbeMs',
  lookBackBlocks: 'logBlocksMax',
  answerKeepSeconds: 'completionKeepSeconds',
  privateAnswerKeepSeconds: 'privateCompletionKeepSeconds',
  refusedAnswerKeepSeconds: 'refusedCompletionKeepSeconds',
  rpcAnswerBytesMax: 'rpcResponseBytesMax',
  upstreamAnswerBytesMax: 'upstreamResponseBytesMax',
};

const renamedVariables: Readonly<Record<string, string>> = { LEDGER_URL: 'DATABASE_URL' };

/** Reports each variable that is set under its old name. */
export function renamedVariableFaults(environment: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(renamedVariables)
    .filter(([old]) => environment[old])
    .map(([old, name]) => `${old}: is called ${name} now. Rename it.`);
}
