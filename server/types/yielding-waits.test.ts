import { expect, it } from 'vitest';
import { createYieldingWaits } from './yielding-waits.ts';

it('The oldest wait of the site with the most gives way, and none that has left (D-359)', async () => {
  const waits = createYieldingWaits();
  const ended: string[] = [];
  const begin = (name: string, site: string) => {
    const wait = waits.begin(site);
    void wait.ended.then(() => ended.push(name));
    return wait;
  };
  begin('home', 'home');
  begin('first', 'farm').leave();
  begin('second', 'farm');
  begin('third', 'farm');
  expect(waits.size).toBe(3);
  expect(waits.giveWay()).toBe(true);
  await Promise.resolve();
  expect(ended).toEqual(['second']);
  expect([waits.giveWay(), waits.giveWay(), waits.giveWay(), waits.size]).toEqual([true, true, false, 0]);
});
