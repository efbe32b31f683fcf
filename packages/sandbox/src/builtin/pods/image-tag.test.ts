import { describe, expect, it } from 'vitest';
import { isLatest } from './image-tag.ts';

describe('an image reference', () => {
  it.each([
    ['nginx', true],
    ['nginx:latest', true],
    ['registry.example:5000/a/b', true],
    ['registry.example:5000/a/b:latest', true],
    ['nginx:1.27', false],
    ['registry.example:5000/a/b:1', false],
    [`nginx@sha256:${'0'.repeat(64)}`, false],
    [`nginx:latest@sha256:${'0'.repeat(64)}`, true],
    ['Not A Reference', false],
    ['', false],
  ])('%s means the tag latest: %s', (image, latest) => {
    expect(isLatest(image)).toBe(latest);
  });
});
