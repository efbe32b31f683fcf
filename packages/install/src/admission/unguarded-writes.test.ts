import {
  ClusterRole,
  ClusterRoleBinding,
  ResourceExport,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '@isthmus/api';
import { createVirtualFleet, eventsOf, leaderNamespace } from '@isthmus/fleet-sim';
import type { ResourceType } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import { controllerAdmissionObjects } from '../manifests/admission-objects.ts';
import { leaderRules } from './rules.ts';

const kinds: readonly ResourceType[] = [
  ClusterRole,
  ClusterRoleBinding,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
];

describe('what is written while admission policies are missing', () => {
  it('is named when they are back (WrittenUnguarded), and heartbeats are not', async () => {
    await using fleet = await createVirtualFleet({ clusters: { north: 'leader', east: 'member' } });
    const { admin } = fleet.leader.server;
    for (const object of controllerAdmissionObjects(leaderRules, leaderNamespace)) {
      const type = kinds.find(({ kind }) => kind === object.kind);
      if (type === undefined) throw new Error(`no type of ${object.kind}`);
      admin.put(type, object);
    }
    const [binding] = admin.list(ValidatingAdmissionPolicyBinding);
    if (binding === undefined) throw new Error('the leader has no policies');
    const put = (name: string) =>
      admin.put(ResourceExport, { metadata: { name, namespace: leaderNamespace }, spec: { clusterID: 'east' } });
    put('long-before');
    await fleet.clock.advance(120_000);
    put('just-before');
    admin.delete(ValidatingAdmissionPolicyBinding, binding.metadata);
    await fleet.clock.advance(2_000);
    put('meanwhile');
    await fleet.clock.advance(20_000);
    const reported = () => eventsOf(fleet.leader).filter((event) => event.startsWith('WrittenUnguarded'));
    expect(reported()).toEqual([]);
    admin.put(ValidatingAdmissionPolicyBinding, binding);
    await fleet.until('it is reported', () => reported().length > 0, 10_000);
    put('later');
    await fleet.clock.advance(60_000);
    expect(reported()).toEqual([
      expect.stringMatching(
        /checked no account that wrote resourceexport\/just-before, resourceexport\/meanwhile\. .* get resourceexport\/just-before resourceexport\/meanwhile -o yaml/,
      ),
    ]);
  });
});
