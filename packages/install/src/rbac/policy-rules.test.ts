import { ConfigMap, EndpointSlice, Namespace, Secret, Service } from '@isthmus/api';
import type { PolicyRule } from '@isthmus/api';
import type { Access } from '@isthmus/kube';
import { describe, expect, it } from 'vitest';
import { rbacOf } from './policy-rules.ts';

const local = { at: 'local' } as const;
const read = ['get', 'list', 'watch'] as const;

interface Case {
  readonly title: string;
  readonly access: readonly Access[];
  readonly own?: readonly PolicyRule[];
  readonly all?: readonly PolicyRule[];
}

const cases: readonly Case[] = [
  { title: 'gives no rules for no access', access: [] },
  {
    title: 'puts own into the Role and all into the ClusterRole',
    access: [
      { at: 'local', type: Secret, scope: 'own', verbs: ['get'] },
      { at: 'local', type: Namespace, scope: 'all', verbs: ['get'] },
    ],
    own: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }],
    all: [{ apiGroups: [''], resources: ['namespaces'], verbs: ['get'] }],
  },
  {
    title: 'joins the verbs of one resource in the order in which people write them',
    access: [
      { at: 'local', type: Service, scope: 'all', verbs: ['delete', 'watch'] },
      { at: 'local', type: Service, scope: 'all', verbs: ['watch', 'get', 'create'] },
    ],
    all: [{ apiGroups: [''], resources: ['services'], verbs: ['get', 'watch', 'create', 'delete'] }],
  },
  {
    title: 'joins resources of one group that have the same verbs, and never across groups',
    access: [
      { at: 'local', type: Service, scope: 'all', verbs: read },
      { at: 'local', type: EndpointSlice, scope: 'all', verbs: read },
      { at: 'local', type: ConfigMap, scope: 'all', verbs: read },
    ],
    all: [
      { apiGroups: [''], resources: ['configmaps', 'services'], verbs: read },
      { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: read },
    ],
  },
  {
    title: 'keeps a subresource apart from its resource',
    access: [{ at: 'local', type: Service, subresource: 'status', scope: 'all', verbs: ['patch'] }],
    all: [{ apiGroups: [''], resources: ['services/status'], verbs: ['patch'] }],
  },
  {
    title: 'leaves out of the Role what the ClusterRole grants already',
    access: [
      { at: 'local', type: Service, scope: 'own', verbs: ['get', 'update'] },
      { at: 'local', type: Service, scope: 'own', verbs: ['get'], resourceNames: ['one'] },
      { at: 'local', type: Service, scope: 'all', verbs: ['get'] },
    ],
    own: [{ apiGroups: [''], resources: ['services'], verbs: ['update'] }],
    all: [{ apiGroups: [''], resources: ['services'], verbs: ['get'] }],
  },
  {
    title: 'narrows to names, and drops a name whose verb every name has',
    access: [
      { at: 'local', type: Secret, scope: 'own', verbs: ['update', 'get'], resourceNames: ['b', 'a'] },
      { at: 'local', type: Secret, scope: 'own', verbs: ['get'], resourceNames: ['c'] },
      { at: 'local', type: Secret, scope: 'own', verbs: ['create'] },
      { at: 'local', type: Secret, scope: 'own', verbs: ['delete'] },
      { at: 'local', type: Secret, scope: 'own', verbs: ['delete'], resourceNames: ['a'] },
    ],
    own: [
      { apiGroups: [''], resources: ['secrets'], verbs: ['create', 'delete'] },
      { apiGroups: [''], resources: ['secrets'], resourceNames: ['a', 'b'], verbs: ['get', 'update'] },
      { apiGroups: [''], resources: ['secrets'], resourceNames: ['c'], verbs: ['get'] },
    ],
  },
  {
    title: 'takes an empty list of names for no object, which RBAC would take for every object',
    access: [{ at: 'local', type: Secret, scope: 'own', verbs: ['get'], resourceNames: [] }],
  },
  {
    title: 'gives no rule for an entry without verbs',
    access: [{ at: 'local', type: Secret, scope: 'own', verbs: [] }],
  },
  {
    title: 'looks only at the asked API server',
    access: [{ at: 'leader', type: Secret, scope: 'own', verbs: ['get'] }],
  },
];

describe('the RBAC rules of accesses', () => {
  it.each(cases)('$title', ({ access, own, all }) => {
    expect(rbacOf(access, local)).toEqual({ own: own ?? [], all: all ?? [] });
  });

  it.each<{ readonly title: string; readonly at: Access['at']; readonly entry: Access; readonly message: RegExp }>([
    {
      title: 'a cluster-scoped kind in a Role',
      at: 'local',
      entry: { at: 'local', type: Namespace, scope: 'own', verbs: ['get'] },
      message: /^namespaces is cluster-scoped, so no Role can grant it: declare it with scope 'all'$/,
    },
    {
      title: "a member's token outside the leader Namespace",
      at: 'leader',
      entry: { at: 'leader', type: EndpointSlice, scope: 'all', verbs: ['get'] },
      message: /^endpointslices\.discovery\.k8s\.io at the leader: .* declare it with scope 'own'$/,
    },
    {
      title: 'create of single names',
      at: 'local',
      entry: { at: 'local', type: Secret, scope: 'own', verbs: ['get', 'create'], resourceNames: ['a'] },
      message: /^create secrets by name: .* declare it without resourceNames$/,
    },
  ])('refuses $title', ({ at, entry, message }) => {
    expect(() => rbacOf([entry], { at })).toThrow(message);
  });
});
