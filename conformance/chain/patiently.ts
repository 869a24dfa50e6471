import { type Found, found } from '../types/found.ts';

export type Sleep = (seconds: number) => Promise<void>;

/** Calls `look` until it finds something or the time is over; then the value is undefined. */
export async function patiently<T>(
  secondsMax: number,
  sleep: Sleep,
  look: () => Promise<Found<T | undefined>>,
  stepSeconds = 1,
): Promise<Found<T | undefined>> {
  for (let second = 0; second < secondsMax; second += stepSeconds) {
    const looked = await look();
    if (!looked.ok || looked.value !== undefined) return looked;
    await sleep(stepSeconds);
  }
  const last = await look();
  return last.ok ? found(last.value) : last;
}
