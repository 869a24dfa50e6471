/** The files for all other work: the store, the log, and connections to nodes, upstreams and a shared store. */
const reserveMax = 512;

/**
 * The most connections of clients that the system's limit on open files allows (D-226). Clients could otherwise use
 * up the files, and the gateway could reach neither its node nor its upstreams.
 */
export function fitConnections(connectionsMax: number, openFilesMax: number | null): number {
  if (openFilesMax === null) return connectionsMax;
  const reserve = Math.min(reserveMax, Math.floor(openFilesMax / 2));
  return Math.max(1, Math.min(connectionsMax, openFilesMax - reserve));
}

/** A warning for the operator, if the limit of the system is too low for the setting. */
export function warnOfOpenFiles(connectionsMax: number, openFilesMax: number | null): readonly string[] {
  const fitting = fitConnections(connectionsMax, openFilesMax);
  if (fitting === connectionsMax) return [];
  return [
    `The system allows ${openFilesMax} open files, so the gateway accepts ${fitting} connections and not ${connectionsMax} (connectionsMax). Raise the limit of the system to ${connectionsMax + reserveMax} (ulimit -n).`,
  ];
}

/** The limit of this process; null for no limit, or on a system that shows none. */
export function readOpenFilesMax(): number | null {
  // Otherwise the report looks up the names of all open connections, which takes long where name servers are slow.
  Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = process.report.getReport() as { readonly userLimits?: UserLimits };
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : null;
}

type UserLimits = { readonly open_files?: { readonly soft: number | 'unlimited' } };
