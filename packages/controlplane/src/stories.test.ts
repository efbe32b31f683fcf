import { cartStory, createVirtualFleet, play } from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';

describe('the story of one Service through the wire', () => {
  it('runs from the first export to the last withdrawal, without a warning', async () => {
    await using fleet = await createVirtualFleet({ clusters: { north: 'leader', east: 'member', west: 'member' } });
    await play(fleet, cartStory);
    expect(
      fleet.clusters.flatMap(({ log }) => log.entries.filter(({ level }) => level === 'error' || level === 'warn')),
    ).toEqual([]);
  });
});
