import { expect, it } from 'vitest';
import { announcedAtBeat, announcerOf } from './announcer.ts';

const user = 'system:serviceaccount:north:member-east';
const found = (record: string | undefined, touchTs: string | undefined = 'T2') =>
  announcerOf({
    apiVersion: 'multicluster.crd.antrea.io/v1alpha1',
    kind: 'MemberClusterAnnounce',
    metadata: {
      name: 'member-announce-from-east',
      namespace: 'north',
      annotations: {
        ...(touchTs !== undefined && { 'touch-ts': touchTs }),
        ...(record !== undefined && { 'isthmus.dev/announced-by': record }),
      },
    },
  });

it('the account of a beat is the one in its record', () => {
  expect(found(announcedAtBeat(user, 'T2'))).toEqual({ account: 'member-east' });
});

it('a user other than an account of the Namespace is known, and has no account there', () => {
  for (const other of [
    'kubernetes-admin',
    'system:serviceaccount:shop:member-east',
    'system:serviceaccount:northern:x',
  ])
    expect(found(announcedAtBeat(other, 'T2'))).toEqual({ account: undefined });
});

it('a record of another beat does not count: a member of another make leaves it there', () => {
  expect(found(announcedAtBeat(user, 'T1'))).toBeUndefined();
  expect(found(user)).toBeUndefined();
  expect(found(undefined)).toBeUndefined();
  expect(found(announcedAtBeat(user, ''), undefined)).toBeUndefined();
});
