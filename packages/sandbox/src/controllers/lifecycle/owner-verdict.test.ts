import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OwnerState, OwnerVerdict } from './owner-verdict.ts';
import { decideOwned } from './owner-verdict.ts';

interface Given {
  readonly owners: readonly OwnerState[];
  readonly finalizers?: readonly string[];
  readonly hasDependents?: boolean;
  readonly isGoing?: boolean;
}

/** The owners have the uids `0`, `1`, … */
function decide({ owners, finalizers, hasDependents = false, isGoing = false }: Given): OwnerVerdict {
  return decideOwned({
    metadata: { name: 'x', finalizers, ...(isGoing && { deletionTimestamp: '2026-11-21T10:00:00Z' }) },
    owners: owners.map((state, index) => ({
      reference: { apiVersion: 'v1', kind: 'ConfigMap', name: `o${index}`, uid: `${index}` },
      state,
    })),
    hasDependents,
  });
}

const deleted = (policy: 'Background' | 'Foreground' | 'Orphan') => ({ kind: 'delete', policy });

describe('what becomes of an object with owners', () => {
  it.each<readonly [string, Given, object]>([
    ['stays without owners', { owners: [] }, { kind: 'keep' }],
    ['stays with an owner that is there', { owners: ['there'] }, { kind: 'keep' }],
    ['goes when its only owner is gone', { owners: ['absent'] }, deleted('Background')],
    ['goes when all its owners are gone', { owners: ['absent', 'absent'] }, deleted('Background')],
    [
      'loses the references to owners that are gone',
      { owners: ['there', 'absent'] },
      { kind: 'drop-references', uids: ['1'] },
    ],
    [
      'is released by an owner that waits for it, where it has another',
      { owners: ['there', 'waits-for-dependents'] },
      { kind: 'drop-references', uids: ['1'] },
    ],
    ['stays while nobody can tell how an owner stands', { owners: ['unknown', 'absent'] }, { kind: 'keep' }],
    ['is not deleted twice', { owners: ['absent'], isGoing: true }, { kind: 'keep' }],
    ['goes for an owner that waits for it', { owners: ['waits-for-dependents'] }, deleted('Background')],
    [
      'goes in the foreground for an owner that waits for it, when others wait for it in turn',
      { owners: ['waits-for-dependents'], hasDependents: true },
      deleted('Foreground'),
    ],
    [
      'leaves its own dependents, where a finalizer says so',
      { owners: ['absent'], finalizers: ['orphan'] },
      deleted('Orphan'),
    ],
    [
      'goes in the foreground, where a finalizer says so',
      { owners: ['absent'], finalizers: ['foregroundDeletion'] },
      deleted('Foreground'),
    ],
  ])('%s', (_, given, verdict) => {
    expect(decide(given)).toEqual(verdict);
  });

  it('is never a deletion with an owner that is there or unknown, and never touches a reference to one', () => {
    const states = fc.array(fc.constantFrom<OwnerState>('there', 'waits-for-dependents', 'absent', 'unknown'), {
      maxLength: 5,
    });
    const finalizers = fc.subarray(['orphan', 'foregroundDeletion', 'other/one']);
    fc.assert(
      fc.property(states, finalizers, fc.boolean(), fc.boolean(), (owners, given, hasDependents, isGoing) => {
        const verdict = decide({ owners, finalizers: given, hasDependents, isGoing });
        const isHeld = owners.some((state) => state === 'there' || state === 'unknown');
        expect(verdict.kind === 'delete').toBe(owners.length > 0 && !isHeld && !isGoing);
        if (verdict.kind !== 'drop-references') return;
        for (const uid of verdict.uids) expect(['absent', 'waits-for-dependents']).toContain(owners[Number(uid)]);
      }),
      { numRuns: 500 },
    );
  });
});
