import type { Allowance, AllowanceRequest, AllowanceStore } from '../allowances.ts';
import type { Row } from '../rows.ts';
import type { Connections } from './connections.ts';
import type { PostgresPorts } from './ports.ts';
import { toArrays, unnest } from './unnest.ts';

const columns = [
  ...['limit_name text', 'limited text', 'wanted bigint', 'requests_max bigint', 'window_seconds bigint'],
].map((column) => column.split(' ') as [name: string, type: string]);
const stamp = `$${columns.length + 1}`;

/** What a window that is not over can still grant. The limit of the newest request applies. */
const grantable = 'greatest(0, least(excluded.granted, excluded.requests_max - w.taken))';
const isOver = `w.ends_at <= ${stamp}`;

/** Takes the rows in the order of their keys, so that no deadlock occurs. */
const takeSql = `INSERT INTO paid_inference.rate_window AS w
    (limit_name, limited, ends_at, taken, granted, requests_max)
  SELECT limit_name, limited, ${stamp} + window_seconds, least(wanted, requests_max), least(wanted, requests_max),
    requests_max
  FROM ${unnest(columns, 'c')} ORDER BY limit_name, limited
  ON CONFLICT (limit_name, limited) DO UPDATE SET
    ends_at = CASE WHEN ${isOver} THEN excluded.ends_at ELSE w.ends_at END,
    granted = CASE WHEN ${isOver} THEN excluded.granted ELSE ${grantable} END,
    taken = CASE WHEN ${isOver} THEN excluded.granted ELSE w.taken + ${grantable} END,
    requests_max = excluded.requests_max
  RETURNING limit_name, limited, ends_at, granted, requests_max - taken AS remaining`;

const pruneSql = `DELETE FROM paid_inference.rate_window WHERE (limit_name, limited) IN (
    SELECT limit_name, limited FROM paid_inference.rate_window
    WHERE ends_at <= $1 ORDER BY ends_at LIMIT $2 FOR UPDATE SKIP LOCKED)`;

/** Each window that is taken may leave one row, so pruning is faster than the growth. */
const takesPerPrune = 64;
const prunedMax = 4 * takesPerPrune;

/** Windows that ended are deleted on the way, because keys of clients may be new ones each time. */
export function allowanceOperations({ connections: { run, group }, time }: PostgresPorts): AllowanceStore {
  const take = group<AllowanceRequest, Allowance>(async (runGroup, requests) => {
    const rows = await takeTogether(runGroup, requests, time.stamp());
    return requests.map((request) => {
      const row = rows.get(nameKey(request.limit, request.key));
      if (row === undefined) throw new Error('The store returned no window for a rate limit.');
      return {
        granted: Number(row['granted']),
        remaining: Math.max(0, Number(row['remaining'])),
        endsAt: time.fromServer(Number(row['ends_at'])),
      };
    });
  });
  let taken = 0;
  return {
    takeAllowance(request) {
      // An unpruned row costs little, and the next pruning deletes it.
      if (++taken % takesPerPrune === 0) run(pruneSql, time.stamp(), prunedMax).catch(() => undefined);
      return take(request);
    },
  };
}

async function takeTogether(
  run: Connections['run'],
  requests: readonly AllowanceRequest[],
  now: number,
): Promise<ReadonlyMap<string, Row>> {
  const values = requests.map(({ limit, key, wanted, requestsMax, windowSeconds }) => [
    ...[limit, key, wanted, requestsMax, windowSeconds],
  ]);
  const { rows } = await run(takeSql, ...toArrays(values), now);
  return new Map(rows.map((row) => [nameKey(String(row['limit_name']), String(row['limited'])), row]));
}

/** Names of limits have no blank. */
function nameKey(limit: string, key: string): string {
  return `${limit} ${key}`;
}
