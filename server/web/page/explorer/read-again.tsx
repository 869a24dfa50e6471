import { formatTime } from '../format.ts';
import type { Loaded } from './use-loaded.ts';

/** The time of a reading, so that a visitor does not take an old state for the present one, and a button for the next. */
export function ReadAgain({ readAt, again }: Pick<Loaded<unknown>, 'readAt' | 'again'>) {
  if (readAt === null) return null;
  return (
    <p class="row quiet">
      <span role="status">Read at {formatTime(readAt)}.</span>
      <button type="button" class="small" onClick={again}>
        Read again
      </button>
    </p>
  );
}
