import { readFileSync } from 'node:fs';
import type { RealCluster, RealFleet } from '@isthmus/testkit';
import { startRealFleet } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, it } from 'vitest';

/** The files of docs/guides/samples, applied unchanged except for the address of the leader. */
const sample = (name: string) =>
  readFileSync(new URL(`../../../../docs/guides/samples/${name}.yaml`, import.meta.url), 'utf8').replaceAll(
    'https://north.example.com:6443',
    fleet.cluster('north').server.url,
  );
let fleet: RealFleet;
const area = 'antrea-multicluster';

beforeAll(async () => {
  const clusters = { north: 'leader+member', east: 'member', west: 'member' } as const;
  fleet = await startRealFleet({ clusters, install: false, join: false });
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

const apply = (cluster: RealCluster, yaml: string) => cluster.shell('kubectl apply -f -', yaml);

/** As in README.md. */
async function copyToken(name: string): Promise<void> {
  const print = `kubectl get secret member-${name} -n ${area} -o go-template='{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "leader-token", "namespace": "kube-system"}, "data": {"ca.crt": "{{index .data "ca.crt"}}", "token": "{{.data.token}}"}}'`;
  await fleet
    .cluster('north')
    .shell(`kubectl wait secret/member-${name} -n ${area} --for=jsonpath='{.data.token}' --timeout=300s`);
  await apply(fleet.cluster(name), (await fleet.cluster('north').shell(print)).stdout);
}

const connected = (name: string) =>
  fleet.eventually(
    `${name} is connected`,
    () => fleet.cluster(name).view.clusterSet({ namespace: 'kube-system', name: 'fleet' }),
    'True Connected',
  );

describe('the samples', () => {
  it('make a dedicated leader, and the same file joins each member', async () => {
    const north = fleet.cluster('north');
    await north.shell(`kubectl create ns ${area}`);
    await apply(north, await north.manifest('deploy/leader.yaml'));
    await apply(north, sample('dedicated-leader'));
    await north.start('leader', { namespace: area });
    for (const name of ['east', 'west']) {
      const member = fleet.cluster(name);
      await apply(member, await member.manifest('deploy/member.yaml'));
      await copyToken(name);
      await apply(member, sample('member').replaceAll('east', name));
      await member.start('member');
      await connected(name);
    }
  });

  it('make the cluster of the leader a member too', async () => {
    const north = fleet.cluster('north');
    await apply(north, await north.manifest('deploy/member.yaml'));
    await apply(north, sample('dual-role'));
    await copyToken('north');
    await north.start('member');
    await connected('north');
    const ready = async () =>
      (await north.shell(`kubectl get clusterset fleet -n ${area} -o jsonpath='{.status.readyClusters}'`)).stdout;
    await fleet.eventually('all three', ready, '3');
  });
});
