import { proofColumns, proofValues } from '../proof-rows.ts';
import type { KeptProof } from '../proof-store.ts';
import { LeaseLost } from '../relayer-lease.ts';
import type { Store } from '../store.ts';
import { listed, refusal, storeTransitions } from '../transitions.ts';
import type { PostgresPorts } from './ports.ts';
import { unnest } from './unnest.ts';

/** The columns of an executed payment, and those of its proof in the order of `proofColumns`. */
const columns = [
  ...['id bigint', 'completion bytea', 'proof bytea', 'proof_id text', 'input_hash text', 'output_hash text'],
  ...['model_hash text', 'inferred_at bigint', 'signer text', 'signature text', 'settlement_type text'],
].map((column) => column.split(' ') as [name: string, type: string]);
const [stamp, keyMark] = [`$${columns.length + 1}`, `$${columns.length + 2}`];
const withoutRecord = proofColumns.split(',').map(() => null);

const executeSql = `WITH item AS (SELECT * FROM ${unnest(columns, 'c')}), moved AS (
    UPDATE paid_inference.payment p
    SET state = 'executed', completion = i.completion, proof = i.proof, updated_at = ${stamp}
    FROM item i WHERE p.id = i.id AND p.state IN (${listed(storeTransitions.execute.from)}) AND p.lease_until > ${stamp}
      AND EXISTS (SELECT 1 FROM paid_inference.completion_key WHERE mark = ${keyMark})
    RETURNING p.id
  ), kept AS (
    INSERT INTO paid_inference.proof (payment_id, ${proofColumns})
    SELECT id, ${proofColumns} FROM item JOIN moved USING (id) WHERE proof_id IS NOT NULL
  ) SELECT id FROM moved`;

type Item = { readonly id: number; readonly completion: string; readonly proof: KeptProof | null };

export function executeOperation(ports: PostgresPorts): Store['execute'] {
  const { connections, cipher, time, read } = ports;
  const execute = connections.group<Item, boolean>(async (run, items) => {
    const rows = items.map(({ id, completion, proof }) => [
      id,
      cipher.seal(id, completion),
      proof && cipher.seal(id, proof.header, 'proof'),
      ...(proof?.record ? proofValues(proof.record) : withoutRecord),
    ]);
    const arrays = columns.map((_, column) => rows.map((row) => row[column]));
    const moved = await run(executeSql, ...arrays, time.stamp(), ports.keyMark);
    const ids = new Set(moved.rows.map((row) => Number(row['id'])));
    return items.map(({ id }) => ids.has(id));
  });
  return async (id, completion, proof) => {
    if (await execute({ id, completion, proof })) return;
    // The first attempt may have succeeded, and the payment may have changed since.
    const { rows } = await connections.run('SELECT * FROM paid_inference.payment WHERE id = $1', id);
    if (rows[0] === undefined || read(rows[0]).completion !== completion)
      throw new LeaseLost(refusal([id], storeTransitions.execute));
  };
}
