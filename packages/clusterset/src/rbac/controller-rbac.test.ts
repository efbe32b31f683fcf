import { FixedName } from '@isthmus/api';
import type { ClusterRoleBinding, PolicyRule } from '@isthmus/api';
import type { KubernetesObject } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import { leaderRules, memberRules, memberTokenRules } from './controller-access.ts';
import { leaderRbac, memberRbac } from './controller-rbac.ts';
import { isAllowedBy } from './testing/rbac-authorizer.ts';

const group = 'multicluster.crd.antrea.io';
const title = ({ kind, metadata }: KubernetesObject) => `${kind} ${metadata.namespace ?? '-'}/${metadata.name}`;
const may = (rules: readonly PolicyRule[], verb: string, resource: string, name = 'any') => {
  const [prefix = '', plural = ''] = resource.includes(' ') ? resource.split(' ') : ['', resource];
  return isAllowedBy(rules, { verb, group: prefix, resource: plural, name });
};

describe("a leader's objects", () => {
  it("are Antrea's by name, and all stand in the leader Namespace", () => {
    expect(leaderRbac('north').map(title)).toEqual([
      'ServiceAccount north/antrea-mc-controller',
      'Role north/antrea-mc-controller-role',
      'RoleBinding north/antrea-mc-controller-rolebinding',
      'Role north/antrea-mc-member-cluster-role',
    ]);
  });

  it('let the controller hold its own Lease and no other', () => {
    expect(may(leaderRules(), 'update', 'coordination.k8s.io leases', 'isthmus-leader')).toBe(true);
    expect(may(leaderRules(), 'update', 'coordination.k8s.io leases', 'isthmus-member')).toBe(false);
  });

  it('let the controller read no Secret and write no object of RBAC', () => {
    const groups = leaderRules().flatMap((rule) => rule.apiGroups ?? []);
    expect([...new Set(groups)]).toEqual(['', 'coordination.k8s.io', group]);
    expect(leaderRules().filter((rule) => rule.apiGroups?.includes(''))).toEqual([
      { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
    ]);
  });
});

describe("a member's objects", () => {
  it("are Antrea's by name, with a Role beside the ClusterRole", () => {
    expect(memberRbac('kube-system').map(title)).toEqual([
      'ServiceAccount kube-system/antrea-mc-controller',
      'ClusterRole -/antrea-mc-controller-role',
      'ClusterRoleBinding -/antrea-mc-controller-rolebinding',
      'Role kube-system/antrea-mc-controller-role',
      'RoleBinding kube-system/antrea-mc-controller-rolebinding',
    ]);
  });

  it('bind roles that are there to a ServiceAccount that is there', () => {
    const objects = [...leaderRbac('north'), ...memberRbac('kube-system')];
    const titles = objects.map(title);
    const bindings = objects.filter((object): object is ClusterRoleBinding => 'roleRef' in object);
    expect(bindings).toHaveLength(3);
    for (const { metadata, roleRef, subjects } of bindings) {
      expect(titles).toContain(`${roleRef.kind} ${roleRef.kind === 'Role' ? metadata.namespace : '-'}/${roleRef.name}`);
      for (const subject of subjects ?? [])
        expect(titles).toContain(`ServiceAccount ${subject.namespace}/${subject.name}`);
    }
  });

  it("do not collide with the leader's in a dual-role cluster", () => {
    const titles = [...leaderRbac('north'), ...memberRbac('kube-system')].map(title);
    expect(new Set(titles).size).toBe(titles.length);
  });

  it('let the controller read Secrets of its own Namespace only, and write none', () => {
    const { own, all } = memberRules();
    expect(['get', 'list', 'watch'].map((verb) => may(own, verb, 'secrets'))).toEqual([true, true, true]);
    expect(['create', 'update', 'patch', 'delete'].some((verb) => may(own, verb, 'secrets'))).toBe(false);
    expect(all.some((rule) => rule.resources?.includes('secrets'))).toBe(false);
  });

  it('let the controller delete no Namespace, Node, Pod or CustomResourceDefinition', () => {
    const { own, all } = memberRules();
    for (const resource of ['namespaces', 'nodes', 'pods', 'apiextensions.k8s.io customresourcedefinitions']) {
      expect(may([...own, ...all], 'delete', resource)).toBe(false);
    }
  });
});

describe("a member's token", () => {
  const rules = memberTokenRules();

  it.each(['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'])(
    'serves Antrea members, which %s ResourceExports and announcements',
    (verb) => {
      expect(may(rules, verb, `${group} resourceexports`)).toBe(true);
      expect(may(rules, verb, `${group} memberclusterannounces`)).toBe(true);
    },
  );

  it('reads ResourceImports and writes none', () => {
    const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'];
    expect(verbs.filter((verb) => may(rules, verb, `${group} resourceimports`))).toEqual(['get', 'list', 'watch']);
  });

  it('creates Events, as Antrea members do for policies that they cannot import, and nothing else with them', () => {
    expect(rules.filter((rule) => rule.resources?.includes('events'))).toEqual([
      { apiGroups: [''], resources: ['events'], verbs: ['create'] },
    ]);
  });

  it("cannot write another's status, by which it could freeze its exports", () => {
    expect(rules.flatMap((rule) => rule.resources ?? []).filter((resource) => resource.includes('/'))).toEqual([]);
  });

  it('has the Role that join files and RoleBindings of Antrea name', () => {
    expect(leaderRbac('north').at(-1)).toMatchObject({ kind: 'Role', metadata: { name: FixedName.memberRole }, rules });
  });
});
