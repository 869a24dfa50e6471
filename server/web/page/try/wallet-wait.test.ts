import { expect, it } from 'vitest';
import { createWalletWait, stoppedMessage } from './wallet-wait.ts';

function create() {
  const shown: boolean[] = [];
  return { shown, wait: createWalletWait((isWaiting) => shown.push(isWaiting)) };
}

it('the page shows its wait for a wallet, and passes on the result', async () => {
  const { shown, wait } = create();
  expect(await wait.until(Promise.resolve('0x1'))).toBe('0x1');
  await expect(wait.until(Promise.reject(new Error('locked')))).rejects.toThrow('locked');
  expect(shown).toEqual([true, false, true, false]);
});

it('a visitor stops the wait, and a signature that comes later is dropped', async () => {
  const { shown, wait } = create();
  const late = Promise.withResolvers<string>();
  const waited = wait.until(late.promise);
  wait.stop();
  await expect(waited).rejects.toThrow(stoppedMessage);
  late.resolve('0x1');
  expect(shown).toEqual([true, false]);
  // The wallet gets no further request.
  await expect(wait.until(Promise.withResolvers<string>().promise)).rejects.toThrow(stoppedMessage);
});
