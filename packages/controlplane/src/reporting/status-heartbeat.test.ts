import { createVirtualClock } from '@isthmus/fleet-sim';
import { rfc3339 } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import { createStatusHeartbeat } from './status-heartbeat.ts';

describe('the time in a status that shows until when its writer lived', () => {
  const at = () => {
    const clock = createVirtualClock({ startMs: Date.parse('2026-11-30T10:00:00Z') });
    return { clock, now: () => rfc3339(clock.now()), heartbeat: createStatusHeartbeat(clock) };
  };

  it('is written once a minute', async () => {
    const { clock, now, heartbeat } = at();
    const first = heartbeat.next('a', undefined);
    expect(first).toBe(now());
    await clock.advance(59_000);
    expect(heartbeat.next('a', first)).toBe(first);
    await clock.advance(1_000);
    expect(heartbeat.next('a', first)).toBe(now());
    expect(heartbeat.next('b', undefined)).toBe(now());
  });

  it('stays after a restart until it is a minute old, and one of the future is replaced', async () => {
    const { clock, now, heartbeat } = at();
    const young = '2026-11-30T09:59:30Z';
    expect(heartbeat.next('a', young)).toBe(young);
    expect(heartbeat.next('b', '2026-11-30T11:00:00Z')).toBe(now());
    expect(heartbeat.next('c', '2026-11-30T09:58:59Z')).toBe(now());
    await clock.advance(30_000);
    expect(heartbeat.next('a', young)).toBe(now());
  });

  it('is due once a minute where the definitions of the API server drop it', async () => {
    const { clock, now, heartbeat } = at();
    expect(heartbeat.next('a', undefined)).toBe(now());
    expect(heartbeat.next('a', undefined)).toBeUndefined();
    await clock.advance(60_000);
    expect(heartbeat.next('a', undefined)).toBe(now());
  });
});
