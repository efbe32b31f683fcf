import { describe, expect, it } from 'vitest';
import type { DefinitionLossInput } from './decide-definition-loss.ts';
import { isLostWithDefinition } from './decide-definition-loss.ts';

const hour = 3_600_000;
const nowMs = Date.parse('2026-11-23T12:00:00Z');
const served = (createdMs: number) => ({ kind: 'served', createdMs }) as const;
const isLost = (input: Partial<DefinitionLossInput>) =>
  isLostWithDefinition({
    definition: served(nowMs - 100 * hour),
    allowed: false,
    madeMs: nowMs - hour,
    nowMs,
    ...input,
  });

describe('what was exported of an object that is missing', () => {
  it.each([
    ['the definition is gone or being deleted', { definition: { kind: 'lost' } }],
    [
      'the definition is gone, and nobody knows when the object was made',
      { definition: { kind: 'lost' }, madeMs: undefined },
    ],
    ['the definition was made again after the object', { definition: served(nowMs - hour + 1) }],
    [
      'the definition was made again almost a day ago',
      { definition: served(nowMs - 24 * hour + 1), madeMs: nowMs - 99 * hour },
    ],
  ] as const)('stays where %s', (_, input) => {
    expect(isLost(input)).toBe(true);
  });

  it.each([
    ['the definition is older than the object', {}],
    ['both were made at once', { definition: served(nowMs - hour) }],
    ['the definition was made again a day ago', { definition: served(nowMs - 24 * hour), madeMs: nowMs - 99 * hour }],
    ['nobody knows when the object was made', { madeMs: undefined }],
    ['the definition cannot be read', { definition: { kind: 'unknown' } }],
    ['a person allows it', { definition: { kind: 'lost' }, allowed: true }],
  ] as const)('is withdrawn where %s', (_, input) => {
    expect(isLost(input)).toBe(false);
  });
});
