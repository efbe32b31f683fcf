import { createVirtualClock } from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import type { HeldThing } from './held.ts';
import { createHeld } from './held.ts';

const thing = (exchange: string, key: string, clusterID = ''): HeldThing => ({ exchange, key, clusterID });
const cart = thing('services', 'shop/cart', 'east');

function start() {
  const clock = createVirtualClock({ startMs: 1_000_000 });
  return { clock, held: createHeld(clock) };
}

describe('what is held', () => {
  it('is held since the first time, and what earlier processes held counts', async () => {
    const { clock, held } = start();
    expect(held.forMs(cart)).toBeUndefined();
    held.hold(cart);
    await clock.advance(300);
    held.hold(cart, 5_000);
    expect(held.forMs(cart)).toBe(300);
    held.release(cart);
    expect(held.forMs(cart)).toBeUndefined();
    held.hold(cart, 5_000);
    await clock.advance(10);
    expect(held.forMs(cart)).toBe(5_010);
  });

  it('is counted once for all its clusters, and listed by its exchange', () => {
    const { held } = start();
    const all = [
      cart,
      thing('services', 'shop/cart', 'west'),
      thing('services', 'shop/till'),
      thing('policies', 'deny'),
    ];
    for (const one of all) held.hold(one);
    // The same name in two exchanges is two things.
    held.hold(thing('policies', 'shop/cart', 'west'));
    expect(held.size).toBe(4);
    held.release(thing('policies', 'shop/cart', 'west'));
    expect(held.forMs(thing('services', 'shop/cart', 'west'))).toBe(0);
    expect(held.size).toBe(3);
    expect(held.exchanges).toEqual(['services', 'policies']);
    expect(held.keys('services')).toEqual(['shop/cart', 'shop/till']);
    expect(held.keys('policies')).toEqual(['deny']);
    held.clear('services');
    expect([held.exchanges, held.keys('services'), held.size]).toEqual([['policies'], [], 1]);
  });

  it('is reported half a second after the first of many changes, and only to those who listen', async () => {
    const { clock, held } = start();
    let calls = 0;
    const stop = held.onChange(() => calls++);
    held.hold(cart);
    held.hold(thing('services', 'shop/till'));
    await clock.advance(499);
    expect(calls).toBe(0);
    await clock.advance(1);
    expect(calls).toBe(1);
    held.release(cart);
    await clock.advance(500);
    expect(calls).toBe(2);
    held.clear('services');
    await clock.advance(500);
    expect(calls).toBe(3);
    stop();
    held.hold(cart);
    await clock.advance(500);
    expect(calls).toBe(3);
  });

  it('is not reported where nothing changes', async () => {
    const { clock, held } = start();
    held.hold(cart);
    await clock.advance(500);
    let calls = 0;
    held.onChange(() => calls++);
    held.hold(cart);
    held.release(thing('services', 'shop/cart', 'west'));
    held.clear('policies');
    await clock.advance(500);
    expect(calls).toBe(0);
  });
});
