import type { FinishedReply } from '../http/reply.ts';
import type { AdminReply, FindAdminReply } from '../telemetry/admin-server.ts';
import { createBuiltFiles } from './built-files.ts';
import { assetRoute, htmlRoute } from './files.ts';
import { type OperatorPorts, readOperatorState } from './operator-state.ts';

/** The operator's view, for the admin address: a page, its scripts, and the state that it shows (D-376). */
export function createOperatorSite(ports: OperatorPorts): FindAdminReply {
  const files = createBuiltFiles(new URL('built/', import.meta.url));
  const view = htmlRoute(files, 'operator.html');
  return async (path, headers) => {
    if (path === '/state.json') return json(await readOperatorState(ports));
    const [, asset] = /^\/web\/(assets\/[\w.-]+)$/.exec(path) ?? [];
    const route = asset === undefined ? view : assetRoute(files, asset);
    if (path !== '/' && asset === undefined) return null;
    const reply = await route.respond({ headers, network: '', query: {}, body: undefined });
    return reply.status === 404 ? null : toAdminReply(reply);
  };
}

function json(value: unknown): AdminReply {
  const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };
  return { status: 200, headers, bytes: JSON.stringify(value) };
}

function toAdminReply({ status, headers, file }: FinishedReply): AdminReply {
  const bytes = file?.bytes ?? '';
  return { status, headers: { ...headers, ...(file !== undefined && { 'Content-Type': file.type }) }, bytes };
}
