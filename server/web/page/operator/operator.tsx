import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { OperatorState } from '../../operator-state.ts';
import { formatTime } from '../format.ts';
import { Notice } from '../parts.tsx';
import { Endpoints, Health, Models, Relayers } from './health.tsx';
import { Payments } from './payments.tsx';
import { Refused } from './refused.tsx';

/** How often the view reads the gateway again. */
const periodMs = 3_000;

type Reading = { readonly state: OperatorState; readonly metrics: string };
type Shown = { readonly reading: Reading | null; readonly fault: string | null };

/** The operator's view. It reads the gateway again and again, as long as it is visible. */
function Operator() {
  const [{ reading, fault }, show] = useState<Shown>({ reading: null, fault: null });
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    let isGone = false;
    const again = async () => {
      if (!document.hidden) await refresh();
      if (!isGone) timer = setTimeout(again, periodMs);
    };
    const refresh = () =>
      read().then(
        (found) => show({ reading: found, fault: null }),
        (cause) =>
          show((before) => ({ ...before, fault: cause instanceof Error ? cause.message : String(cause) })),
      );
    void again();
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, []);
  return (
    <>
      <h1>Operator's view</h1>
      {fault !== null && (
        <Notice kind="bad" title="The gateway does not show its state">
          <p>{fault}. The view below may be old. The page tries again.</p>
        </Notice>
      )}
      {reading === null ? <p role="status">The page reads the gateway …</p> : <Sections {...reading} />}
    </>
  );
}

function Sections({ state, metrics }: Reading) {
  return (
    <>
      <p class="quiet">
        Version {state.version}. Read at {formatTime(state.at)}, again every {periodMs / 1_000} seconds.
      </p>
      <Health checks={state.checks} />
      <Payments state={state} />
      <Refused refused={state.refused} />
      <Relayers metrics={metrics} />
      <Endpoints metrics={metrics} />
      <Models models={state.models} />
    </>
  );
}

async function read(): Promise<Reading> {
  const [state, metrics] = await Promise.all([fetch('/state.json'), fetch('/metrics')]);
  if (!state.ok) throw new Error((await state.text()).trim());
  return { state: (await state.json()) as OperatorState, metrics: await metrics.text() };
}

const main = document.getElementById('main');
if (main !== null) render(<Operator />, main);
