import type { OperatorState } from '../../operator-state.ts';
import { formatCount } from '../format.ts';
import { readSamples } from './parse-metrics.ts';

/** The checks of `GET /ready`, each with its health issue or its warning. */
export function Health({ checks, isOld }: Pick<OperatorState, 'checks'> & { readonly isOld: boolean }) {
  const isReady = checks.every(({ healthIssue }) => healthIssue === null);
  return (
    <section aria-labelledby="health">
      <h2 id="health">{describeHealth(isReady, isOld)}</h2>
      <ul class="steps">
        {checks.map(({ name, healthIssue, warning }) => (
          <li key={name}>
            <Sign isRight={healthIssue === null} isWarning={warning !== null} isOld={isOld} />
            <div>
              <strong>{name}</strong> <span class="quiet">– {healthIssue ?? warning ?? 'no issue'}</span>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The state in a heading. An old state never reads like the present one. */
function describeHealth(isReady: boolean, isOld: boolean): string {
  if (isOld) return `Unknown now. At the last reading, the gateway was ${isReady ? 'ready' : 'not ready'}`;
  return isReady ? 'Ready: the gateway sells' : 'Not ready: the gateway accepts no new payments';
}

const right = [
  { kind: 'true', sign: '✓' },
  { kind: 'unknown', sign: '!' },
];
const wrong = { kind: 'false', sign: '✗' };
const old = { kind: 'unknown', sign: '?' };

type SignGiven = { readonly isRight: boolean; readonly isWarning?: boolean; readonly isOld?: boolean };

function Sign({ isRight, isWarning = false, isOld = false }: SignGiven) {
  const known = isRight ? right[Number(isWarning)] : wrong;
  const shown = isOld ? old : known;
  return (
    <span class={`sign ${shown?.kind}`} aria-hidden="true">
      {shown?.sign}
    </span>
  );
}

/** The ether of each relayer, and the payments that it settles. */
export function Relayers({ metrics }: { readonly metrics: string }) {
  const covered = readSamples(metrics, 'paid_inference_relayer_payments_covered');
  const balances = readSamples(metrics, 'paid_inference_relayer_balance_ether');
  if (balances.length === 0) return null;
  return (
    <section aria-labelledby="relayers">
      <h2 id="relayers">Gas of the relayers</h2>
      <table class="cards">
        <thead>
          <tr>
            <th scope="col">Relayer</th>
            <th scope="col" class="number">
              Ether
            </th>
            <th scope="col" class="number">
              Payments it settles
            </th>
          </tr>
        </thead>
        <tbody>
          {balances.map(({ labels: { relayer = '' }, value }) => (
            <tr key={relayer}>
              <th scope="row" class="hex">
                {relayer}
              </th>
              <td class="number" data-name="Ether">
                {value.toPrecision(5)}
              </td>
              <td class="number" data-name="Payments it settles">
                {formatCount(
                  Math.floor(covered.find(({ labels }) => labels['relayer'] === relayer)?.value ?? 0),
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The RPC endpoints of both chains, by their place in the settings. */
export function Endpoints({ metrics, isOld }: { readonly metrics: string; readonly isOld: boolean }) {
  const blocks = readSamples(metrics, 'paid_inference_rpc_endpoint_block');
  const endpoints = readSamples(metrics, 'paid_inference_rpc_endpoint_up');
  return (
    <section aria-labelledby="endpoints">
      <h2 id="endpoints">RPC endpoints</h2>
      <ul class="steps">
        {endpoints.map(({ labels: { chain = '', endpoint = '' }, value }) => {
          const block = blocks.find(
            ({ labels }) => labels['chain'] === chain && labels['endpoint'] === endpoint,
          )?.value;
          return (
            <li key={chain + endpoint}>
              <Sign isRight={value === 1} isOld={isOld} />
              <div>
                <strong>
                  Chain of the {chain}, endpoint {endpoint}
                </strong>{' '}
                <span class="quiet">
                  – {value === 1 ? 'responds' : 'does not respond'}
                  {block !== undefined && `, block ${formatCount(block)}`}
                </span>
              </div>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** The models, and why one is not sold now. */
export function Models({ models }: Pick<OperatorState, 'models'>) {
  const unsold = models.filter(({ issue }) => issue !== null);
  return (
    <section aria-labelledby="models">
      <h2 id="models">Models and upstreams</h2>
      <p>
        {models.length - unsold.length} of {models.length} models are sold.
      </p>
      <ul class="steps">
        {unsold.map(({ model, issue }) => (
          <li key={model}>
            <Sign isRight={false} />
            <div>
              <strong>{model}</strong> <span class="quiet">– {issue}</span>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
