import {
  AntreaNetworkPolicy,
  ClusterNetworkPolicy,
  CustomResourceDefinition,
  LabelIdentity,
  Lease,
  Namespace,
  Pod,
  Tier,
} from '@isthmus/api';
import { expect, test } from 'vitest';
import { agentAccess } from './open-objects.ts';
import { policyAccess } from './policies.ts';
import { agentPorts } from './ports.ts';

test('ports are those that firewalls and other agents expect', () => {
  expect(agentPorts).toEqual({ health: 8482, metrics: 8483, tunnel: 8479, direct: 8484, wireGuard: 51_821 });
});

test('an agent may write the Lease of its gateway, and read the objects of policies where they are on', () => {
  expect(agentAccess.filter(({ type }) => type === Lease).map(({ verbs }) => verbs)).toEqual([['create', 'patch']]);
  const policies = [Pod, Namespace, LabelIdentity, ClusterNetworkPolicy, AntreaNetworkPolicy, Tier];
  // And the definitions of those that a cluster may lack.
  expect(policyAccess.map(({ type }) => type)).toEqual([...policies, CustomResourceDefinition]);
});
