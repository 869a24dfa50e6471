import { check } from '../../context/check.ts';
import { bodyFor, validRequest } from '../../sources/bodies.ts';
import { describe } from '../../sources/judgements.ts';
import { paymentRequired } from '../../sources/sources.ts';
import { broken, holds, unknown } from '../../types/verdict.ts';
import { isServed } from './served-unpaid.ts';

/** More requests than the checks of conditions send together. A fault may begin at some number. */
const requestsAtOnce = 12;

/**
 * Checks that a gateway under load asks for payment. It may refuse the requests for their number (§7, D-412). Both
 * endpoints should be alike (D-216).
 */
export const manyAtOnceChecks = [
  check(
    'unpaid.never-200',
    `None of ${requestsAtOnce} requests at once is served without payment (chat)`,
    async (context) => {
      // A gateway that returns no 402 fails other checks.
      const usual = await paymentRequired(context, 'chat');
      if (!usual.ok) return usual.verdict;
      const request = validRequest('chat', bodyFor('chat', context.model));
      const all = await context.sendTogether(Array.from({ length: requestsAtOnce }, () => request));
      const answered = all.flatMap((one) => (one.ok ? [one.value] : []));
      const served = answered.find((one) => isServed(context, one));
      if (served !== undefined)
        return broken(
          'no success without payment',
          `${describe(served)} for one of ${requestsAtOnce} requests`,
        );
      return answered.length > 0 ? holds() : unknown('none of the requests got a response');
    },
  ),
];
