import { printYaml } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import { readFile } from '../../read/read-file.ts';
import { policy } from '../policy.ts';
import { shippedPolicies, shippedPolicyFiles } from './shipped-policies.ts';

/** The ids of the table of docs/spec/upgrades.md §2.2. */
const promised =
  'antrea.order antrea.agent antrea.antctl antrea.hop antrea.fa mc.order mc.same mc.antctl mc.antrea k8s.apiserver-ha k8s.kubelet k8s.kproxy k8s.cm ' +
  'k8s.kubectl k8s.step cilium.step capi.step eksa.mgmt eksa.step';

describe('the policies that ship with isthmus', () => {
  const policies = shippedPolicies();
  const specs = policies.map(({ spec }) => spec);

  it('hold every rule of the table, each with its source', () => {
    const rules = specs.flatMap(({ skew, floors, order, hops, kubernetes }) => [
      ...skew,
      ...floors,
      ...order,
      ...hops,
      ...kubernetes,
    ]);
    expect(promised.split(' ').filter((id) => !rules.some((rule) => rule.id === id))).toEqual([]);
    expect(rules.filter(({ source }) => source === '')).toEqual([]);
  });

  it('promise of Isthmus: agent and command line four minors older and never newer, members within one minor, leader first', () => {
    const ours = specs[0];
    const room = (id: string) => {
      const rule = ours?.skew.find((one) => one.id === id);
      return rule === undefined ? [] : [rule.newer, rule.older];
    };
    const never = { minors: 0, patches: 'none' };
    const minors = (many: number) => ({ minors: many, patches: 'any' });
    expect(room('isthmus.agent')).toEqual([never, minors(4)]);
    expect(room('isthmus.cli')).toEqual([never, minors(4)]);
    expect(room('isthmus.member')).toEqual([minors(1), minors(1)]);
    expect(room('isthmus.members')).toEqual([minors(1), minors(1)]);
    expect(ours?.order[0]).toMatchObject({ first: 'isthmus-leader', next: 'isthmus-member' });
  });

  it('are read back from the files that are made of them', () => {
    const read = shippedPolicyFiles().map((file) => {
      const result = readFile(policy, printYaml(file), 'policy.yaml');
      return result.kind === 'read' ? result.value : result.problems;
    });
    expect(read).toEqual(policies);
  });

  it('know what Kubernetes took away with each minor', () => {
    const removed = specs.flatMap(({ removedApis }) => removedApis);
    const minors = Map.groupBy(removed, ({ removedIn }) => removedIn);
    const counts = Object.fromEntries([...minors].map(([minor, all]) => [minor, all.length]));
    expect(counts).toEqual({
      '1.16': 13,
      '1.21': 2,
      '1.22': 23,
      '1.24': 2,
      '1.25': 7,
      '1.26': 3,
      '1.27': 5,
      '1.29': 3,
      '1.31': 7,
      '1.32': 7,
      '1.33': 3,
      '1.34': 6,
      '1.35': 3,
      '1.36': 1,
      '1.37': 6,
    });
    const of = (apiVersion: string, kind: string) =>
      removed.filter((one) => `${one.group}/${one.version}` === apiVersion && one.kind === kind);
    // What was never on by default is in manifests as well.
    expect(of('admissionregistration.k8s.io/v1beta1', 'ValidatingAdmissionPolicy')).toEqual([
      expect.objectContaining({ deprecatedIn: '1.31', removedIn: '1.34', source: 'k8s.io/api v0.24.0 to v0.37.0' }),
    ]);
    expect(of('apps/v1beta1', 'ReplicaSet')).toEqual([]);
    expect(removed.filter(({ source }) => source === undefined)).toEqual([]);
  });
});
