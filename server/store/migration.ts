/** What an operator is told who starts an older program on a newer ledger. */
export function newerLedger(version: number, newestKnown: number): string {
  return `the ledger has version ${version}, this program knows versions up to ${newestKnown}: start a newer program`;
}
