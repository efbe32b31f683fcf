import { ClusterSet, ResourceExport, ResourceImport } from '@isthmus/api';
import { conditionOf } from '@isthmus/machinery';
import type { AntreaMember, RealFleet } from '@isthmus/testkit';
import { clusterSetName, leaderNamespace } from '@isthmus/fleet-sim';
import { createAntreaMember, startRealFleet } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/**
 * What one member token may write: 215 exports of 1.3 MB, the largest that an API server accepts.
 */
const exportsOfOne = 215;
const namespace = leaderNamespace;
const http = [{ name: 'http', protocol: 'TCP', port: 80 }] as const;

let fleet: RealFleet;
const members: AntreaMember[] = [];

async function member(clusterID: string): Promise<AntreaMember> {
  const made = await createAntreaMember(fleet.leader, {
    clusterID,
    namespace,
    clusterSetID: clusterSetName,
    leaderClusterID: 'north',
  });
  members.push(made);
  await made.beat();
  return made;
}

beforeAll(async () => {
  fleet = await startRealFleet({ clusters: { north: 'leader' } });
});
afterAll(async () => {
  for (const one of members) one[Symbol.dispose]();
  await fleet?.[Symbol.asyncDispose]();
});

describe('a Common Area that one member has filled', () => {
  it('is ignored and reported where it exceeds the limits, and does not keep a restarted leader from serving the exports of the others', async () => {
    await member('greedy');
    const other = await member('other');
    const data = Buffer.alloc(975_000).toString('base64');
    for (let at = 0; at < exportsOfOne; at++) {
      // Written by an account that is not bound to a cluster. A bound account may only write a
      // smaller form.
      await fleet.leader.admin.create(ResourceExport, {
        metadata: { name: `greedy-${at}`, namespace },
        spec: { clusterID: 'greedy', kind: 'Raw', name: `filler-${at}`, namespace: 'shop', raw: { data } },
      });
    }
    const ignored = async () => {
      const clusterSet = await fleet.leader.user.find(ClusterSet, { namespace, name: clusterSetName });
      return conditionOf(clusterSet?.status?.conditions, 'ExportsIgnored')?.message;
    };
    await fleet.until(
      'the cluster is named',
      async () => (await ignored())?.startsWith('cluster greedy: 215') === true,
    );
    await fleet.leader.stop('leader');
    const subsets = [{ addresses: [{ ip: '10.20.1.5' }], ports: http }];
    await other.export({ namespace: 'shop', name: 'cart', ports: http, subsets });
    await fleet.leader.start('leader');
    const found = () => fleet.leader.user.find(ResourceImport, { namespace, name: 'shop-cart-endpoints' });
    await fleet.until('the export of the other member is merged', async () => (await found()) !== undefined);
    expect((await found())?.spec?.endpoints?.subsets).toEqual(subsets);
    expect(await ignored()).toMatch(
      /^cluster greedy: 215 ResourceExports, 2[78]\d(\.\d)? MB, of which the newest 16\d are ignored/,
    );
  });
});
