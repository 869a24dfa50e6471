import type { OperatorState } from '../../operator-state.ts';
import { formatCount } from '../format.ts';
import { Fact } from '../parts.tsx';

const states = [
  'reserved',
  'executed',
  'submitted',
  'settled',
  'final',
  'released',
  'failed',
  'expired',
] as const;

/** Income, queue and debts, and the payments of the last 24 hours by state. */
export function Payments({ state }: { readonly state: OperatorState }) {
  const { open, owed, debts, day, isDayAtLeast, unsettledSince, at, proofs } = state;
  const income = BigInt(day.settled?.amount ?? 0) + BigInt(day.final?.amount ?? 0);
  const waiting = open.executed.payments + open.submitted.payments;
  const oldest = unsettledSince === null ? '' : `, the oldest for ${Math.max(0, at - unsettledSince)} s`;
  return (
    <section aria-labelledby="payments">
      <h2 id="payments">Payments</h2>
      <dl class="facts">
        <Fact name="Income of the last 24 hours, in units">
          {income.toLocaleString('en-US')}
          {isDayAtLeast && ' or more'}
        </Fact>
        <Fact name="Settlements that wait">
          {formatCount(waiting)}
          {oldest}
        </Fact>
        <Fact name="Inferences in progress">{formatCount(open.reserved.payments)}</Fact>
        <Fact name="Completions that are owed">{formatCount(owed.payments)}</Fact>
        <Fact name="Debts of payers">{formatCount(debts.payments)}</Fact>
        <Fact name="Proofs that wait">
          {formatCount(proofs.waiting)}
          {proofs.parked > 0 && `, ${formatCount(proofs.parked)} parked`}
        </Fact>
      </dl>
      <table class="cards">
        <caption>
          Payments of the last 24 hours, by their state now. Amounts are in the token's smallest unit.
        </caption>
        <thead>
          <tr>
            <th scope="col">State</th>
            <th scope="col" class="number">
              Payments
            </th>
            <th scope="col" class="number">
              Amount
            </th>
          </tr>
        </thead>
        <tbody>
          {states.map((name) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="number" data-name="Payments">
                {formatCount(day[name]?.payments ?? 0)}
              </td>
              <td class="number" data-name="Amount">
                {BigInt(day[name]?.amount ?? 0).toLocaleString('en-US')}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
