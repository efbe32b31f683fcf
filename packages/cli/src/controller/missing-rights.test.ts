import type { Access } from '@isthmus/kube';
import { describe, expect, it } from 'vitest';
import { missingRights } from './missing-rights.ts';

const exports = { group: 'example.io', plural: 'exports', namespaced: true };
const nodes = { group: '', plural: 'nodes', namespaced: false };
const access: readonly Access[] = [
  { at: 'local', type: exports, scope: 'own', verbs: ['list', 'watch', 'create'] },
  { at: 'local', type: exports, subresource: 'status', scope: 'own', verbs: ['patch'] },
  { at: 'local', type: nodes, scope: 'all', verbs: ['get'], resourceNames: ['a', 'b'] },
  { at: 'leader', type: nodes, scope: 'all', verbs: ['delete'] },
];
const rule = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: [] };

describe('the rights that a controller lacks', () => {
  it('are all that it declares for its own cluster where nothing is granted', () => {
    expect(missingRights(access, 'mc', { own: [], everywhere: [] })).toEqual([
      'list, watch, create exports.example.io in the Namespace mc',
      'patch exports/status.example.io in the Namespace mc',
      'get nodes named a, b',
    ]);
  });

  it('are none where all is granted, by name or by wildcard', () => {
    expect(missingRights(access, 'mc', { own: [rule], everywhere: [rule] })).toEqual([]);
    const own = [
      { ...rule, verbs: ['list', 'watch', 'create'], resources: ['exports'], apiGroups: ['example.io'] },
      { ...rule, verbs: ['patch'], resources: ['*/status'] },
    ];
    const everywhere = [{ ...rule, verbs: ['get'], resourceNames: ['a', 'b'] }];
    expect(missingRights(access, 'mc', { own, everywhere })).toEqual([]);
  });

  it('do not contain what is done by name and granted for some name', () => {
    const secrets = { group: '', plural: 'secrets', namespaced: true };
    const reads: readonly Access[] = [{ at: 'local', type: secrets, scope: 'own', verbs: ['list'], byName: true }];
    const own = [{ ...rule, resourceNames: ['a'] }];
    expect(missingRights(reads, 'mc', { own, everywhere: [] })).toEqual([]);
    expect(missingRights(reads, 'mc', { own: [{ ...rule, verbs: ['get'] }], everywhere: [] })).toEqual([
      'list secrets in the Namespace mc',
    ]);
    expect(
      missingRights(
        reads.map((one) => ({ ...one, byName: false })),
        'mc',
        { own, everywhere: [] },
      ),
    ).toHaveLength(1);
  });

  it('are the verbs, names and places that no rule covers', () => {
    const own = [{ ...rule, verbs: ['list'] }];
    const everywhere = [{ ...rule, resourceNames: ['a'] }];
    expect(missingRights(access, 'mc', { own, everywhere })).toEqual([
      'watch, create exports.example.io in the Namespace mc',
      'patch exports/status.example.io in the Namespace mc',
      'get nodes named a, b',
    ]);
    // Granted in one Namespace is not granted everywhere.
    expect(missingRights(access, 'mc', { own: [rule], everywhere: [] })).toEqual(['get nodes named a, b']);
  });
});
