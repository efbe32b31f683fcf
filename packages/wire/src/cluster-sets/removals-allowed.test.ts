import { execFileSync } from 'node:child_process';
import { Annotation } from '@isthmus/api';
import { rfc3339 } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import { areRemovalsAllowed, howToAllowRemovals } from './removals-allowed.ts';

const nowMs = Date.parse('2026-11-21T12:00:00Z');
const saying = (until: string) => ({
  metadata: { name: 'cs', namespace: 'kube-system', annotations: { 'isthmus.dev/allow-removals-until': until } },
});

describe('a person who releases what is held', () => {
  it.each([
    ['until in five minutes', rfc3339(nowMs + 300_000), true],
    ['until in an hour', rfc3339(nowMs + 3_600_000), true],
    ['until a time of another zone that is still to come', '2026-11-21T13:05:00+01:00', true],
    ['until this moment', rfc3339(nowMs), false],
    ['until yesterday', '2026-11-20T12:00:00Z', false],
    ['for longer than an hour', rfc3339(nowMs + 3_601_000), false],
    ['by a word that is no time', 'true', false],
  ])('%s: %s is heeded: %s', (_, until, heeded) => {
    expect(areRemovalsAllowed(saying(until), nowMs)).toBe(heeded);
  });

  it('has to ask for it', () => {
    expect(areRemovalsAllowed({ metadata: { name: 'cs' } }, nowMs)).toBe(false);
    expect(areRemovalsAllowed(undefined, nowMs)).toBe(false);
  });

  it('gets the command that releases the hold', () => {
    expect(howToAllowRemovals(saying(''))).toBe(
      'If the kept objects are no longer needed, remove them now: kubectl annotate clusterset cs -n kube-system --overwrite isthmus.dev/allow-removals-until="$(TZ=UTC-0:05 date +%FT%TZ)"',
    );
  });

  it('gets a command that any POSIX shell and date turn into the time in five minutes', () => {
    const value = howToAllowRemovals(saying('')).split(`${Annotation.allowRemovalsUntil}=`)[1];
    const seconds = () => Math.floor(Date.now() / 1000);
    const before = seconds();
    const until = execFileSync('sh', ['-c', `printf %s ${value}`], { encoding: 'utf8' });
    const after = seconds();
    expect(areRemovalsAllowed(saying(until), before * 1000)).toBe(true);
    expect(Date.parse(until) / 1000 - 300).toBeGreaterThanOrEqual(before);
    expect(Date.parse(until) / 1000 - 300).toBeLessThanOrEqual(after);
  });
});
