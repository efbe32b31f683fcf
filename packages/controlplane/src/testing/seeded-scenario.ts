import { createHash } from 'node:crypto';
import { cartStory, createVirtualFleet, play } from '@isthmus/fleet-sim';

/**
 * The sha256 of every request that the controllers of a seeded scenario send, and their number.
 * Both are the same in every process (ARCHITECTURE.md, rule 5).
 */
export async function seededRequestLog(seed: number): Promise<string> {
  await using fleet = await createVirtualFleet({ clusters: { north: 'leader', east: 'member', west: 'member' }, seed });
  // Faults also cover the paths of retries and back-off with their jitter.
  fleet
    .link('east-member', 'north')
    .add({ match: (request) => request.method !== 'GET', fault: { kind: 'status', code: 503 }, times: 3 });
  fleet
    .link('west-member', 'west')
    .add({ match: (request) => request.method === 'POST', fault: { kind: 'lose-answer' }, times: 2 });
  fleet.link('north-leader', 'north').add({
    match: (request) => request.query?.['watch'] === 'true',
    fault: { kind: 'break-stream', afterLines: 3 },
    times: 2,
  });
  await play(fleet, cartStory);
  fleet.cluster('west').kill();
  await fleet.clock.advance(45_000);
  fleet.cluster('west').start();
  await fleet.clock.advance(45_000);
  const log = fleet.requestLog();
  return `${createHash('sha256').update(log.join('\n')).digest('hex')} ${log.length}`;
}
