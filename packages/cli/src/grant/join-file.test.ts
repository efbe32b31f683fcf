import type { ClusterSet, Secret } from '@isthmus/api';
import type { KubernetesObject } from '@isthmus/machinery';
import { parseYaml } from '@isthmus/machinery';
import { expect, it } from 'vitest';
import { joinFileText } from './join-file.ts';

const text = joinFileText({
  clusterID: 'east',
  namespace: 'kube-system',
  clusterSet: 'fleet',
  leaderNamespace: 'antrea-multicluster',
  leaderClusterID: 'north',
  server: 'https://10.0.0.1:6443',
  caPem: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
  token: 'eyJ.e30.c2ln',
  expires: '2026-11-30T12:15:00Z',
});

/** The objects of the file up to a character; none if kubectl rejects it. */
function objectsIn(part: string): readonly KubernetesObject[] {
  try {
    return parseYaml(part, { source: 'east.yaml' }).flatMap(({ value }) => (value ? [value as KubernetesObject] : []));
  } catch {
    return [];
  }
}

it('a join file has the Secret and the ClusterSet of the member', () => {
  const [secret, set] = objectsIn(text) as [Secret, ClusterSet];
  expect(secret.metadata).toEqual({ name: 'leader-token', namespace: 'kube-system' });
  expect(atob(secret.data?.['token'] ?? '')).toBe('eyJ.e30.c2ln');
  expect(set.spec).toEqual({
    clusterID: 'east',
    namespace: 'antrea-multicluster',
    leaders: [{ clusterID: 'north', server: 'https://10.0.0.1:6443', secret: 'leader-token' }],
  });
});

it('a join file that is cut at any character names no Secret that it contains', () => {
  const whole = text.trimEnd().length;
  const joining = Array.from({ length: whole - 1 }, (_, length) => length).filter((length) => {
    const objects = objectsIn(text.slice(0, length));
    const names = objects.map(({ metadata }) => metadata?.name);
    const set = objects.find((one): one is ClusterSet => one.kind === 'ClusterSet');
    const leaders = set?.spec?.leaders;
    return Array.isArray(leaders) && leaders.some((leader) => names.includes(leader?.secret ?? ''));
  });
  expect(joining).toEqual([]);
});
