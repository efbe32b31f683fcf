import { FixedName, Node, Secret } from '@isthmus/api';
import type { ClusterRoleBinding, PolicyRule } from '@isthmus/api';
import type { KubernetesObject } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import { controllerDeployment } from '../manifests/controller-deployment.ts';
import { memberEventObjects } from '../manifests/member-events.ts';
import { isAllowedBy } from '../rbac/testing/rbac-authorizer.ts';
import type { RoleDefinition } from './role.ts';
import { rbacObjects } from './role-objects.ts';
import { ownRules, remoteRules } from './role-rules.ts';
import { allProcesses, roles } from './roles.ts';

const leaderRules = () => ownRules(roles.leader).own;
const memberRules = () => ownRules(roles.member);
const memberTokenRules = () => roles.member.remote.flatMap(remoteRules);
const leaderRbac = (namespace: string) => rbacObjects(roles.leader, namespace, allProcesses);
const memberRbac = (namespace: string) => rbacObjects(roles.member, namespace, allProcesses);

const group = 'multicluster.crd.antrea.io';
const title = ({ kind, metadata }: KubernetesObject) => `${kind} ${metadata.namespace ?? '-'}/${metadata.name}`;
const may = (rules: readonly PolicyRule[], verb: string, resource: string, name = 'any') => {
  const [prefix = '', plural = ''] = resource.includes(' ') ? resource.split(' ') : ['', resource];
  return isAllowedBy(rules, { verb, group: prefix, resource: plural, name });
};

describe("a leader's objects", () => {
  it("are Antrea's by name, and all are in the leader Namespace", () => {
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
    expect([...new Set(groups)]).toEqual(['', 'coordination.k8s.io', 'isthmus.dev', group]);
    expect(leaderRules().filter((rule) => rule.apiGroups?.includes(''))).toEqual([
      { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
      { apiGroups: [''], resources: ['pods'], verbs: ['get'] },
      { apiGroups: [''], resources: ['serviceaccounts'], verbs: ['get', 'list', 'watch', 'patch'] },
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

  it('let the controller read Secrets of its own Namespace only, and change only the one with its token', () => {
    const { own, all } = memberRules();
    expect(['get', 'list', 'watch'].map((verb) => may(own, verb, 'secrets'))).toEqual([true, true, true]);
    expect(['create', 'update', 'patch', 'delete'].some((verb) => may(own, verb, 'secrets'))).toBe(false);
    expect(may(own, 'patch', 'secrets', FixedName.leaderTokenSecret)).toBe(true);
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

  it('creates no Events, with which it could fill the database of the leader, unless an administrator allows it', () => {
    expect(rules.filter((rule) => rule.resources?.includes('events'))).toEqual([]);
    expect(memberEventObjects('north')).toMatchObject([
      { kind: 'Role', rules: [{ apiGroups: [''], resources: ['events'], verbs: ['create'] }] },
      { kind: 'RoleBinding', subjects: [{ kind: 'Group', name: 'system:serviceaccounts:north' }] },
    ]);
  });

  it("cannot write another's status, by which it could freeze its exports", () => {
    expect(rules.flatMap((rule) => rule.resources ?? []).filter((resource) => resource.includes('/'))).toEqual([]);
  });

  it('has the Role that join files and RoleBindings of Antrea name', () => {
    expect(leaderRbac('north').at(-1)).toMatchObject({ kind: 'Role', metadata: { name: FixedName.memberRole }, rules });
  });
});

describe('any other role', () => {
  /**
   * Like a process on each Node: no Lease is its own, it watches Nodes, and has a token for a
   * server of its own.
   */
  const relay: RoleDefinition = {
    ...roles.member,
    name: 'relay',
    own: {
      access: [{ at: 'local', type: Node, scope: 'all', verbs: ['get', 'list', 'watch'] }],
      reach: 'cluster',
    },
    remote: [
      {
        at: 'hub',
        grantedBy: 'leader',
        roleName: 'relay-role',
        access: [{ at: 'hub', type: Secret, scope: 'own', verbs: ['get'] }],
      },
    ],
    ports: [{ name: 'tunnel', port: 4789, protocol: 'UDP' }],
  };

  it('gets rules for what it declares, and a Role where its token is issued', () => {
    expect(ownRules(relay).all).toEqual([{ apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list', 'watch'] }]);
    const issued = rbacObjects(roles.leader, 'north', [...allProcesses, relay]).at(-1);
    expect(issued).toMatchObject({ kind: 'Role', metadata: { name: 'relay-role', namespace: 'north' } });
  });

  it('opens its ports in the Deployment', () => {
    const options = { role: relay, namespace: 'north', version: '0', sha256: () => '' };
    const [container] = controllerDeployment(options).spec?.template.spec?.containers ?? [];
    expect(container).toMatchObject({ ports: [{ name: 'tunnel', containerPort: 4789, protocol: 'UDP' }] });
  });

  it('is rejected where it reaches further than it may', () => {
    const near: RoleDefinition = { ...relay, own: { ...relay.own, reach: 'own' } };
    expect(() => ownRules(near)).toThrow('a relay acts in its own Namespace only');
  });
});
