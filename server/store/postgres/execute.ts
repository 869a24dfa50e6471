import type { CompletionCipher } from '../completion-cipher.ts';
import { proofColumns, proofValues } from '../proof-rows.ts';
import type { KeptProof } from '../proof-store.ts';
import { LeaseLost } from '../relayer-lease.ts';
import type { Store } from '../store.ts';
import { listed, refusal, storeTransitions } from '../transitions.ts';
import type { Connections } from './connections.ts';
import { isOwnKey, type PostgresPorts } from './ports.ts';
import { toArrays, unnest } from './unnest.ts';

/** The columns of a completion, and those of its proof in the order of `proofColumns`. */
export const completionColumns = [
  ...['id bigint', 'completion bytea', 'proof bytea', 'proof_id text', 'input_hash text', 'output_hash text'],
  ...['model_hash text', 'inferred_at bigint', 'signer text', 'signature text', 'settlement_type text'],
].map((column) => column.split(' ') as [name: string, type: string]);
const [stamp, keyMark] = [`$${completionColumns.length + 1}`, `$${completionColumns.length + 2}`];
const withoutRecord = proofColumns.split(',').map(() => null);

const executeSql = `WITH item AS (SELECT * FROM ${unnest(completionColumns, 'c')}), moved AS (
    UPDATE paid_inference.payment p
    SET state = 'executed', completion = i.completion, proof = i.proof, updated_at = ${stamp}
    FROM item i WHERE p.id = i.id AND p.state IN (${listed(storeTransitions.execute.from)}) AND p.lease_until > ${stamp}
      AND ${isOwnKey(keyMark)}
    RETURNING p.id
  ), kept AS (
    INSERT INTO paid_inference.proof (payment_id, ${proofColumns})
    SELECT id, ${proofColumns} FROM item JOIN moved USING (id) WHERE proof_id IS NOT NULL
  ) SELECT id FROM moved`;

export type CompletionItem = {
  readonly id: number;
  readonly completion: string;
  readonly proof: KeptProof | null;
};

/** A longer completion gets a statement of its own, so that no statement gets too long. */
export const sharedLengthMax = 65_536;

export function executeOperation(ports: PostgresPorts): Store['execute'] {
  const { run, group } = ports.connections;
  const executeTogether = group((runGroup, items: readonly CompletionItem[]) =>
    execute(ports, runGroup, items),
  );
  return async (id, completion, proof) => {
    const item = { id, completion, proof };
    const isAlone = completion.length > sharedLengthMax;
    if (isAlone ? (await execute(ports, run, [item]))[0] : await executeTogether(item)) return;
    // The first attempt may have succeeded, and the payment may have changed since.
    const { rows } = await run('SELECT * FROM paid_inference.payment WHERE id = $1', id);
    if (rows[0] === undefined || ports.read(rows[0]).completion !== completion)
      throw new LeaseLost(refusal([id], storeTransitions.execute));
  };
}

/** Returns for each item whether its payment was executed. */
async function execute(
  { cipher, time, keyMark }: PostgresPorts,
  run: Connections['run'],
  items: readonly CompletionItem[],
): Promise<readonly boolean[]> {
  const arrays = toArrays(items.map((item) => listValues(cipher, item)));
  const executed = await run(executeSql, ...arrays, time.stamp(), keyMark);
  const ids = new Set(executed.rows.map((row) => Number(row['id'])));
  return items.map(({ id }) => ids.has(id));
}

/** Returns the values of `completionColumns`, in the same order. */
export function listValues(cipher: CompletionCipher, { id, completion, proof }: CompletionItem): unknown[] {
  return [
    id,
    cipher.seal(id, completion),
    proof && cipher.seal(id, proof.header, 'proof'),
    ...(proof?.record ? proofValues(proof.record) : withoutRecord),
  ];
}
