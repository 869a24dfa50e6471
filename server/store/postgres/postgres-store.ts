import type { ClientBase } from 'pg';
import type { Clock } from '../../types/clock.ts';
import { createAnswerCipher, type SealedPart, unreadableAnswer, wrongAnswerKey } from '../answer-cipher.ts';
import { isSameChain, wrongChain } from '../migration.ts';
import { chainOf, paymentOf, type Row } from '../rows.ts';
import { type OpenStore, type StoreChain, StoreUnavailable } from '../store.ts';
import { type ConnectionLimits, openConnections } from './connections.ts';
import { migrate } from './migrations.ts';
import { outcomeOperations } from './outcomes.ts';
import type { PostgresPorts } from './ports.ts';
import { proofOperations } from './proofs.ts';
import { leaseOperations } from './relayer-leases.ts';
import { reservationOperations } from './reservations.ts';
import { openServerTime, type ServerTime } from './server-time.ts';

export type PostgresStoreOptions = Partial<ConnectionLimits> & {
  /** `postgresql://…`: never logged, never part of an error. */
  readonly url: string;
  readonly clock: Clock;
  /** In place of the server's clock, for tests: Unix seconds. */
  readonly readServerSeconds?: () => Promise<number>;
  /** What the store must belong to; one that belongs to nothing yet is named after it. */
  readonly chain?: StoreChain;
  /** A reading of the balance older than this decides nothing. */
  readonly balanceAgeMaxSeconds: number;
  /** 32 bytes that seal the answers at rest; the same for every gateway on this store. */
  readonly answerKey: Uint8Array;
  /** Told what is wrong with the store and hinders no operation. */
  readonly onFault?: (fault: string) => void;
};

const postgresDefaults = {
  connectionsMax: 10,
  waitingMax: 4_096,
  connectTimeoutMs: 3_000,
  operationTimeoutMs: 5_000,
  idleTimeoutMs: 60_000,
  onFault: () => undefined,
} as const;

/**
 * The store of many gateways, in any server that speaks the PostgreSQL protocol (13 or newer), in a schema of its own.
 * Rejects with a sentence for the operator where it cannot be opened.
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<OpenStore> {
  const {
    url,
    clock,
    chain: _,
    readServerSeconds: __,
    balanceAgeMaxSeconds,
    onFault,
    ...limits
  } = { ...postgresDefaults, ...options };
  if (!URL.canParse(url)) throw new Error('the address of the store is not a URL');
  const cipher = createAnswerCipher(options.answerKey);
  const connections = openConnections(url, limits);
  let time: ServerTime;
  try {
    await connections.alone(async (client) => {
      await migrate(client, clock.nowSeconds());
      await client.query('BEGIN');
      // Of two gateways that start on an empty store, one makes the marks and the other reads them.
      await client.query('LOCK TABLE paid_inference.answer_key IN SHARE ROW EXCLUSIVE MODE');
      if (options.chain) await checkChain(client, options.chain);
      const { rows } = await client.query('SELECT mark FROM paid_inference.answer_key');
      if (rows.length === 0) {
        await client.query('INSERT INTO paid_inference.answer_key (mark) VALUES ($1)', [cipher.mark()]);
      } else if (!cipher.knows(rows[0].mark)) throw new Error(wrongAnswerKey);
      await client.query('COMMIT');
      const durable = await client.query("SELECT current_setting('synchronous_commit') AS setting");
      if (durable.rows[0].setting === 'off') {
        onFault(
          'synchronous_commit is off in the store: a crash of the server may lose what it said was kept',
        );
      }
    });
    time = await openServerTime(clock, connections, options.readServerSeconds);
  } catch (cause) {
    await connections.close();
    throw cause;
  }
  const ports: PostgresPorts = {
    connections,
    cipher,
    time,
    balanceAgeMaxSeconds,
    read,
  };
  return {
    ...reservationOperations(ports),
    ...leaseOperations(ports),
    ...outcomeOperations(ports),
    ...proofOperations(ports),
    healthIssue,
    close: () => connections.close(),
  };

  function read(row: Row): ReturnType<typeof paymentOf> {
    const payment = paymentOf(row, opened(row, 'answer'), opened(row, 'proof'));
    return { ...payment, leaseUntil: time.fromServer(payment.leaseUntil) };
  }

  function opened(row: Row, part: SealedPart): string | null {
    const sealed = row[part] as Uint8Array | null;
    if (sealed === null) return null;
    const id = Number(row['id']);
    const text = cipher.open(id, sealed, part);
    if (text === null) onFault(unreadableAnswer(id));
    return text;
  }

  async function healthIssue(): Promise<string | null> {
    try {
      // A row that stays the same is written all the same, and the commit waits for the disk.
      await connections.run('UPDATE paid_inference.answer_key SET mark = mark');
      return null;
    } catch (cause) {
      if (!(cause instanceof StoreUnavailable)) return 'the store does not answer as it should';
      return cause.message.includes(readOnlyState) ? 'the store can only be read' : cause.message;
    }
  }
}

/** SQLSTATE of a standby, and of a database that was made read-only. */
const readOnlyState = 'SQLSTATE 25006';

/** Names the store after the chain, or compares. */
async function checkChain(client: ClientBase, chain: StoreChain): Promise<void> {
  const { rows } = await client.query('SELECT chain_id, asset FROM paid_inference.ledger_chain');
  const kept = rows[0] && chainOf(rows[0]);
  if (kept === undefined) {
    const sql = 'INSERT INTO paid_inference.ledger_chain (chain_id, asset) VALUES ($1, $2)';
    await client.query(sql, [chain.chainId, chain.asset]);
  } else if (!isSameChain(kept, chain)) throw new Error(wrongChain(kept, chain));
}
