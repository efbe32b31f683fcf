import { describe, expect, it } from 'vitest';
import { GrowingPath } from './growing-path.ts';

const path = (...names: readonly string[]) =>
  names.slice(1).reduce((grown, name) => GrowingPath.grown(grown, name), GrowingPath.of(names[0] ?? ''));

describe('a path that grows as a slice of Go', () => {
  it('is what was put to it', () => {
    expect(path('self', 'a', 'b').names()).toEqual(['self', 'a', 'b']);
    expect(GrowingPath.grown(undefined, 'a').names()).toEqual(['a']);
  });

  it('shares its end with the next that grows from the same, where there was room', () => {
    const three = path('self', 'a', 'b');
    const first = GrowingPath.grown(three, 'c');
    const second = GrowingPath.grown(three, 'd');
    expect(first.names()).toEqual(['self', 'a', 'b', 'd']);
    expect(second.names()).toEqual(['self', 'a', 'b', 'd']);
  });

  it('has an end of its own where there was no room', () => {
    const four = path('self', 'a', 'b', 'c');
    const first = GrowingPath.grown(four, 'd');
    GrowingPath.grown(four, 'e');
    expect(first.names()).toEqual(['self', 'a', 'b', 'c', 'd']);
  });
});
