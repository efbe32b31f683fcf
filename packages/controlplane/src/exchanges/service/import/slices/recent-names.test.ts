import { describe, expect, it } from 'vitest';
import type { FormerNames } from '@isthmus/wire';
import { createRecentNames } from './recent-names.ts';

const key = 'shop/cart';
const renamed: FormerNames = new Map([['web', 'http']]);
const none: FormerNames = new Map();

describe('former names of ports', () => {
  it('are given for five seconds after the Service has the new ones', () => {
    let nowMs = 0;
    const recent = createRecentNames({ monotonic: () => nowMs });
    expect(recent.read(key, none)).toBe(none);
    expect(recent.lookAgainMs(key)).toBeUndefined();
    expect(recent.read(key, renamed)).toBe(renamed);
    nowMs = 4_000;
    expect(recent.read(key, none)).toBe(renamed);
    expect(recent.lookAgainMs(key)).toBe(1_000);
    nowMs = 5_000;
    expect(recent.read(key, none)).toBe(none);
    expect(recent.lookAgainMs(key)).toBeUndefined();
  });

  it('are read again where their time ran out after they were given, for the slices have them', () => {
    let nowMs = 0;
    const recent = createRecentNames({ monotonic: () => nowMs });
    recent.read(key, renamed);
    nowMs = 4_999;
    expect(recent.read(key, none)).toBe(renamed);
    nowMs = 5_001;
    // Another import is renamed while the slices of the first are written.
    recent.read('shop/other', renamed);
    expect(recent.lookAgainMs(key)).toBe(1_000);
    expect(recent.read(key, none)).toBe(none);
    expect(recent.lookAgainMs(key)).toBeUndefined();
  });

  it('go with the import', () => {
    const recent = createRecentNames({ monotonic: () => 0 });
    recent.read(key, renamed);
    recent.forget(key);
    expect(recent.read(key, none)).toBe(none);
  });
});
