import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Journal, type JournalRow, openJournal } from './journal.ts';

const row: JournalRow = {
  time: '2023-11-14T22:13:20.000Z',
  state: 'signing',
  requirement: 'chat.200.status',
  value: '1000',
  from: `0x${'01'.repeat(20)}`,
  payTo: `0x${'02'.repeat(20)}`,
  asset: `0x${'03'.repeat(20)}`,
  resource: 'https://gateway.example/v1/completions',
  validBefore: 1_700_000_060,
  nonce: `0x${'04'.repeat(32)}`,
};
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'conformance-journal-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function open(path: string): Journal {
  const opened = openJournal(path);
  if (!opened.ok) throw new Error(opened.fault);
  return opened.journal;
}

const readLines = (path: string) => readFileSync(path, 'utf8').split('\n');

describe('a journal', () => {
  it('writes each row at once, in a file for its owner only', () => {
    const path = join(folder, 'spend.jsonl');
    const journal = open(path);
    expect(journal.place).toBe(path);
    expect(journal.append(row)).toBeUndefined();
    expect(readLines(path)).toEqual([JSON.stringify(row), '']);
    expect(journal.append({ ...row, state: 'settled' })).toBeUndefined();
    expect(readLines(path)).toHaveLength(3);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('keeps earlier rows, and starts a new line after an incomplete one', () => {
    const path = join(folder, 'spend.jsonl');
    open(path).append(row);
    appendFileSync(path, '{"time":"20');
    open(path).append(row);
    expect(readLines(path)).toEqual([JSON.stringify(row), '{"time":"20', JSON.stringify(row), '']);
  });

  it('reports a path that cannot be written when it is opened', () => {
    const path = join(folder, 'none', 'spend.jsonl');
    expect(openJournal(path)).toEqual({
      ok: false,
      fault: `the journal ${path} cannot be written: the folder ${join(folder, 'none')} does not exist (ENOENT)`,
    });
  });

  it('must be a regular file', () => {
    expect(openJournal('/dev/null')).toEqual({
      ok: false,
      fault: 'the journal /dev/null is not a regular file. Name another one with --journal',
    });
    expect(openJournal(folder)).toMatchObject({ ok: false, fault: expect.stringContaining('EISDIR') });
  });

  it('rejects all rows after a failed write', () => {
    const path = join(folder, 'spend.jsonl');
    const journal = open(path);
    const cyclic: JournalRow & { self?: unknown } = { ...row };
    cyclic.self = cyclic;
    expect(journal.append(cyclic)).toContain('cannot be written');
    expect(journal.append(row)).toContain('cannot be written');
    expect(readLines(path)).toEqual(['']);
  });
});
