import { Lease, Namespace, gatewayLeaseName } from '@isthmus/api';
import { isForbidden } from '@isthmus/kube';
import { errorMessage } from '@isthmus/machinery';
import { installObjects } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { agentAccessObjects, agentAdmissionObjects, agentDaemonSetName } from '../manifests/agent-objects.ts';
import type { PolicedServer } from '@isthmus/testkit';
import { startPolicedServer } from '@isthmus/testkit';

const namespace = 'kube-system';
const account = `system:serviceaccount:${namespace}:${agentDaemonSetName}`;

describe('the API server of a member', () => {
  let policed: PolicedServer;
  beforeAll(async () => {
    policed = await startPolicedServer({ name: 'east' });
    await policed.admin.create(Namespace, { metadata: { name: 'shop' } });
    await installObjects(policed.admin, [...agentAccessObjects(namespace), ...agentAdmissionObjects(namespace)]);
    await policed.logIn(namespace, agentDaemonSetName);
  });
  afterAll(() => policed?.[Symbol.asyncDispose]());

  const spec = { holderIdentity: 'node-1', leaseDurationSeconds: 60 };
  /**
   * The result for a Lease that an agent creates, with a token of the Pod on this Node, or with a
   * token without a Pod.
   */
  const create = async (name: string, node?: string): Promise<string> => {
    const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases?dryRun=All`;
    const body = JSON.stringify({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name }, spec });
    const headers = { 'content-type': 'application/json' };
    const extra = {
      'impersonate-user': account,
      'impersonate-extra-authentication.kubernetes.io%2fnode-name': node ?? '',
    };
    try {
      if (node === undefined) await policed.as(agentDaemonSetName).request({ method: 'POST', path, headers, body });
      else await policed.admin.request({ method: 'POST', path, headers: { ...headers, ...extra }, body });
      return 'allowed';
    } catch (error) {
      if (!isForbidden(error)) throw error;
      return errorMessage(error);
    }
  };
  const refusal = /the agent of a Node can write only the Lease of that Node, isthmus-gateway-<node>/;

  test('lets the agent of a Node write the Lease of that Node, and no other', async () => {
    await vi.waitFor(async () => expect(await create('kube-scheduler')).toMatch(refusal), {
      timeout: 120_000,
      interval: 100,
    });
    expect(await create(gatewayLeaseName('node-1'), 'node-1')).toBe('allowed');
    expect(await create(gatewayLeaseName('node-2'), 'node-1')).toMatch(refusal);
    expect(await create('kube-scheduler', 'node-1')).toMatch(refusal);
    expect(await create(gatewayLeaseName('node-1'))).toBe('allowed');
  });

  test('lets it change that Lease, and neither the one of a controller nor anything in another Namespace', async () => {
    const agent = policed.as(agentDaemonSetName);
    const own = { namespace, name: gatewayLeaseName('node-1') };
    await agent.create(Lease, { metadata: own, spec });
    await agent.patch(Lease, own, { type: 'merge', body: { spec: { holderIdentity: '' } } });
    const others = { namespace, name: 'kube-controller-manager' };
    await policed.admin.create(Lease, { metadata: others, spec: { holderIdentity: 'somebody' } });
    await expect(agent.patch(Lease, others, { type: 'merge', body: { spec: { holderIdentity: '' } } })).rejects.toThrow(
      refusal,
    );
    await expect(agent.create(Lease, { metadata: { ...own, namespace: 'shop' }, spec })).rejects.toThrow(/forbidden/i);
  });

  test('lets everybody else write Leases as before', async () => {
    await policed.admin.create(Lease, { metadata: { namespace, name: 'another' }, spec });
  });
});
