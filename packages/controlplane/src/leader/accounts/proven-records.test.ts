import type { MemberClusterAnnounce } from '@isthmus/api';
import { Annotation } from '@isthmus/api';
import { expect, it } from 'vitest';
import { createProvenRecords } from './proven-records.ts';

const announce = (record: string, name = 'east'): MemberClusterAnnounce => ({
  apiVersion: 'multicluster.crd.antrea.io/v1alpha1',
  kind: 'MemberClusterAnnounce',
  metadata: { name, annotations: { [Annotation.announcedBy]: record } },
});

it('a record is proven when it was written after the API server was seen to check records', () => {
  const proven = createProvenRecords();
  expect(proven.isProven(announce('a 1'))).toBe(false);
  proven.checked([announce('a 1')]);
  expect(proven.isProven(announce('a 1'))).toBe(false);
  expect(proven.isProven(announce('a 2'))).toBe(true);
  expect(proven.isProven(announce('a 1', 'west'))).toBe(true);
});

it('a record stays proven when the API server is seen to check again, and none is when it does not', () => {
  const proven = createProvenRecords();
  proven.checked([announce('a 1')]);
  proven.checked([announce('a 2')]);
  expect(proven.isProven(announce('a 2'))).toBe(true);
  proven.unchecked();
  expect(proven.isProven(announce('a 2'))).toBe(false);
  proven.checked([announce('a 2')]);
  expect(proven.isProven(announce('a 2'))).toBe(false);
});
