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
/** After this time without a response, the view says that it is old. */
const timeoutMs = 10_000;

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
    const appeared = () => void (document.hidden ? null : refresh());
    document.addEventListener('visibilitychange', appeared);
    void again();
    return () => {
      isGone = true;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', appeared);
    };
  }, []);
  return (
    <>
      <h1>Operator's view</h1>
      {fault !== null && (
        <Notice kind="bad" title="The gateway does not show its state">
          <p>
            The reason: {fault}. The page tries again. A view below is the last one that the page could read.
          </p>
        </Notice>
      )}
      {reading === null ? (
        <p role="status">The page reads the gateway …</p>
      ) : (
        <Sections {...reading} isOld={fault !== null} />
      )}
    </>
  );
}

function Sections({ state, metrics, isOld }: Reading & { readonly isOld: boolean }) {
  return (
    <>
      <p class="quiet">
        Version {state.version}. Read at {formatTime(state.at)}, again every {periodMs / 1_000} seconds.
      </p>
      <Health checks={state.checks} isOld={isOld} />
      <Payments state={state} />
      <Refused refused={state.refused} />
      <Relayers metrics={metrics} />
      <Endpoints metrics={metrics} isOld={isOld} />
      <Models models={state.models} />
    </>
  );
}

async function read(): Promise<Reading> {
  const signal = AbortSignal.timeout(timeoutMs);
  const [state, metrics] = await Promise.all([
    fetch('./state.json', { signal }),
    fetch('./metrics', { signal }),
  ]);
  for (const response of [state, metrics]) if (!response.ok) throw new Error((await response.text()).trim());
  return { state: (await state.json()) as OperatorState, metrics: await metrics.text() };
}

const main = document.getElementById('main');
if (main !== null) render(<Operator />, main);
