import { expect, it } from 'vitest';
import type { Binding } from './decide.ts';
import { createSettling, settledAfterMs } from './settled-announcers.ts';

const east: Binding = { account: 'a', clusterID: 'east', by: 'announcement' };
const west: Binding = { ...east, clusterID: 'west' };

function create() {
  let nowMs = 5;
  const settling = createSettling({ monotonic: () => nowMs });
  return {
    after(ms: number, ...candidates: readonly Binding[]) {
      nowMs += ms;
      return settling.settled(candidates);
    },
  };
}

it('a binding has settled when nothing else was seen for its time', () => {
  const { after } = create();
  expect(after(0, east)).toEqual([]);
  expect(after(settledAfterMs - 1, east)).toEqual([]);
  expect(after(1, east)).toEqual([east]);
});

it('a binding that was not possible in between, or was to another cluster, waits for its time again', () => {
  for (const between of [[], [west]]) {
    const { after } = create();
    after(0, east);
    expect(after(settledAfterMs, ...between)).toEqual([]);
    expect(after(0, east)).toEqual([]);
    expect(after(settledAfterMs - 1, east)).toEqual([]);
    expect(after(1, east)).toEqual([east]);
  }
});
