import type { Attestation, ProofRecord } from '@paid-inference/contract/types';
import type { SiteFacts } from '../../facts.ts';
import { formatCount, formatTime } from '../format.ts';
import { Fact, Hex, Notice } from '../parts.tsx';
import { link } from '../root.ts';
import { MerklePath } from './merkle-path.tsx';
import { ReadAgain } from './read-again.tsx';
import { readJson } from './read-json.ts';
import { CheckNote, type ShownStep, StepList } from './step-list.tsx';
import { useLoaded } from './use-loaded.ts';
import { verifyRecord } from './verify.ts';

type Given = { readonly id: string; readonly facts: SiteFacts };
type Shown = { readonly record: ProofRecord; readonly steps: readonly ShownStep[] };

/** A proof of inference: its record, the checks of this browser, and its Merkle path. */
export function Proof({ id, facts }: Given) {
  const loaded = useLoaded(() => load(id, facts));
  const { state } = loaded;
  return (
    <>
      <h1>Proof of an inference</h1>
      <p>
        <Hex text={id} />
      </p>
      {state.kind === 'loading' && <p role="status">Your browser reads the record and verifies it …</p>}
      {state.kind === 'failed' && <Notice kind="bad" title={state.message} />}
      {state.kind === 'loaded' && <Record {...state.value} />}
      <ReadAgain {...loaded} />
    </>
  );
}

async function load(id: string, facts: SiteFacts): Promise<Shown> {
  const record = await readJson<ProofRecord>(`/v1/proofs/${id}`);
  if (!record.ok) throw new Error(record.message);
  const named = [record.value.id, record.value.leaf.proofId].map((each) => each.toLowerCase());
  if (named.some((each) => each !== id)) throw new Error('The gateway returned the record of another proof');
  const signer = encodeURIComponent(record.value.leaf.signer);
  const attestation = await readJson<Attestation>(`/v1/attestation?signer=${signer}`);
  if (!attestation.ok) throw new Error(attestation.message);
  return { record: record.value, steps: await verifyRecord(record.value, attestation.value, facts) };
}

const statuses: Readonly<Record<ProofRecord['status'], string>> = {
  pending: 'the proof waits for its record on the proof ledger',
  recorded: 'the proof ledger has the proof',
  refused: 'the proof ledger refused the proof',
};

function Record({ record, steps }: Shown) {
  const { status, settlementType, leaf, ledger, inclusion, batch } = record;
  return (
    <>
      <p class="lead">
        The gateway says that {statuses[status]}. The checks below show whether that is true.
      </p>
      <dl class="facts">
        <Fact name="Settlement type">
          <code>{settlementType}</code>
        </Fact>
        <Fact name="Time of the inference">{formatTime(leaf.timestamp)}</Fact>
        <Fact name="Enclave key">
          <Hex text={leaf.signer} />
        </Fact>
        <Fact name="Proof ledger">
          <code>eip155:{ledger.chainId}</code> <Hex text={ledger.verifyingContract} />
        </Fact>
        <Fact name="Hash of the request">
          <Hex text={leaf.inputHash} />
        </Fact>
        <Fact name="Hash of the response">
          <Hex text={leaf.outputHash} />
        </Fact>
        {inclusion && (
          <Fact name={`Recorded in block ${formatCount(inclusion.blockNumber)}`}>
            <Hex text={inclusion.txHash} />
          </Fact>
        )}
        {batch?.root && (
          <Fact name={`Root of its batch of ${batch.size}`}>
            <Hex text={batch.root} />
          </Fact>
        )}
      </dl>
      <h2>Verification</h2>
      <StepList steps={steps} />
      <p class="quiet">
        Only the buyer has request, response and payment. With the saved exchange, the{' '}
        <a href={link('/explorer')}>explorer</a> verifies them too.
      </p>
      <CheckNote />
      {batch?.root && batch.path && (
        <>
          <h2>Merkle path</h2>
          <MerklePath leaf={leaf} path={batch.path} root={batch.root} />
        </>
      )}
    </>
  );
}
