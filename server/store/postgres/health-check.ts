import type { Row } from '../rows.ts';
import { soldTables } from '../sold-tables.ts';

/** The tables whose rows a sale or its settlement changes. */
const changedTables: readonly string[] = ['payer_account', 'payment', 'proof', 'chain_tx', 'relayer_lease'];

const needs = soldTables.flatMap((table) =>
  ['SELECT', 'INSERT', ...(changedTables.includes(table) ? ['UPDATE'] : [])].map(
    (right) => `('paid_inference.${table}', '${right}')`,
  ),
);

/**
 * A durable write with the mark of the key and the name of a function (D-142). PostgreSQL writes an unchanged row too,
 * and the commit waits for the disk. It does not run an unused WITH query, but raises 42P01 if the table of one is gone.
 * It does not check the rights of an unused WITH query either (D-402).
 */
export const healthCheck = `WITH ${soldTables.map((name) => `has_${name} AS (SELECT 1 FROM paid_inference.${name})`).join(', ')}
  UPDATE paid_inference.completion_key SET mark = mark WHERE mark = $1
  RETURNING has_function_privilege(to_regproc($2), 'EXECUTE') AS may_run,
    (SELECT min(privilege || ' on ' || name) FROM (VALUES ${needs.join(', ')}) AS need (name, privilege)
      WHERE NOT has_any_column_privilege(name, privilege)) AS lacks,
    (SELECT min(name) FROM unnest(ARRAY[${soldTables.map((name) => `'paid_inference.${name}'`).join(', ')}]) AS name
      WHERE row_security_active(name)
        AND NOT EXISTS (SELECT FROM pg_policy WHERE polrelid = to_regclass(name))) AS hidden`;

/** Returns the health issue that the row of the health check shows; null if there is none. */
export function findHealthIssue(row: Row | undefined): string | null {
  if (row === undefined) return 'the store has another key of the completions. Stop this gateway';
  const { may_run: mayRun, lacks, hidden } = row;
  if (mayRun === null)
    return 'the store lacks the functions of this version, as after the restore of an older backup. Restart the gateway';
  if (mayRun === false)
    return 'the user of the store may not run the functions of the schema paid_inference. Grant it EXECUTE on them';
  if (lacks !== null)
    return `the user of the store lacks ${lacks}. Grant it the rights on all tables of the schema`;
  if (hidden !== null)
    return `row level security hides ${hidden} from the user of the store. Disable it, or add a policy for the user`;
  return null;
}
