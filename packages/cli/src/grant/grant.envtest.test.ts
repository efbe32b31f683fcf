import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import { Annotation, ClusterSet, ResourceExport, Secret, SecretKey } from '@isthmus/api';
import { readToken } from '@isthmus/controlplane';
import { clusterSetName, leaderNamespace, leaderSecret, memberNamespace } from '@isthmus/fleet-sim';
import type { Client } from '@isthmus/kube';
import { isForbidden, isUnauthorized, requestToken, systemClock } from '@isthmus/kube';
import { conditionOf } from '@isthmus/machinery';
import type { RealCluster, RealFleet } from '@isthmus/testkit';
import { startRealFleet, tokenClient } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const program = fileURLToPath(new URL('../main.ts', import.meta.url));
let fleet: RealFleet;
const [east, west] = [() => fleet.cluster('east'), () => fleet.cluster('west')];
const account = { namespace: leaderNamespace, name: 'member-east' };

async function isthmus(line: string): Promise<string> {
  const { kubeconfigPath, url } = fleet.leader.server;
  const at = line.startsWith('grant') ? ['--server', url, '-o', '-'] : [];
  const args = [program, ...line.split(' '), '--kubeconfig', kubeconfigPath, ...at];
  return (await promisify(execFile)(process.execPath, args)).stdout;
}

const joinFile = (more = '') => isthmus(`grant east${more}`);
const apply = (cluster: RealCluster, file: string) => cluster.shell('kubectl apply -f -', file);
const secretOf = ({ admin }: RealCluster) => admin.get(Secret, leaderSecret);

async function tokenOf(cluster: RealCluster): Promise<string> {
  const { data } = await secretOf(cluster);
  return atob(data?.[SecretKey.renewedToken] ?? '');
}

async function ready({ admin }: RealCluster): Promise<string> {
  const { status } = await admin.get(ClusterSet, { namespace: memberNamespace, name: clusterSetName });
  const found = conditionOf(status?.conditions, 'Ready');
  return `${found?.reason ?? ''} ${found?.message ?? ''}`;
}

function clientWith(token: string): Client {
  const { url, caData } = fleet.leader.server;
  return tokenClient({ url, caData, token }, { clock: systemClock() });
}

const read = (client: Client) => client.list(ResourceExport, { namespace: leaderNamespace });

beforeAll(async () => {
  fleet = await startRealFleet({ clusters: { north: 'leader', east: 'member', west: 'member' }, join: false });
  await fleet.leader.admin.create(ClusterSet, {
    metadata: { name: clusterSetName, namespace: leaderNamespace },
    spec: { clusterID: 'north', leaders: [{ clusterID: 'north' }], namespace: leaderNamespace },
  });
  await Promise.all(fleet.clusters.map((cluster) => cluster.start()));
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

describe('on real API servers, a cluster that is granted', () => {
  let file = '';

  it('joins with its file, and the token of the file ends', async () => {
    file = await joinFile(' --pods 10.10.0.0/16 --services 10.96.0.0/12');
    await apply(east(), file);
    await fleet.eventually('east is connected', () => east().view.clusterSet(), 'True Connected');
    await fleet.until('its file is used up', async () => {
      const { metadata } = await secretOf(east());
      return (
        metadata.annotations?.[Annotation.tokenReceived] !== undefined && !metadata.annotations[Annotation.joinedWith]
      );
    });
    const { secret, life } = readToken(await tokenOf(east())) ?? {};
    expect(secret?.name).toBe('member-east');
    expect((life?.untilS ?? 0) - (life?.fromS ?? 0)).toBe(86_400);
  });

  it('does not let another cluster join with its file, right after it was used, even if it is applied again', async () => {
    // The API server accepts the token for ten seconds more.
    await apply(west(), file);
    await fleet.until('west is rejected', async () => (await ready(west())).startsWith('Unauthorized'));
    expect(await ready(west())).toContain('the file was used already, or replaced by a newer one');
    expect((await secretOf(west())).data?.[SecretKey.renewedToken]).toBeUndefined();
    await apply(east(), file);
    expect(await east().view.clusterSet()).toBe('True Connected');
  });

  it('gets no token that would survive its revocation', async () => {
    using stack = new DisposableStack();
    const client = stack.adopt(clientWith(await tokenOf(east())), (one) => one.close());
    const boundTo = { name: 'member-east' };
    const rejected = async (wish: Parameters<typeof requestToken>[2], of = account) => {
      const error = await requestToken(client, of, wish).catch((failure: unknown) => failure);
      return isForbidden(error) ? (error as Error).message : 'accepted';
    };
    expect(await rejected({ expirationSeconds: 3_600 })).toContain('must be bound to the Secret');
    expect(await rejected({ expirationSeconds: 3_600, boundTo: { name: 'antrea-mc-controller' } })).toMatch(
      /must be bound|not found/,
    );
    expect(await rejected({ expirationSeconds: 86_401, boundTo })).toContain('valid for at most 86400 seconds');
    const controller = { namespace: leaderNamespace, name: 'antrea-mc-controller' };
    expect(await rejected({ expirationSeconds: 3_600, boundTo }, controller)).toContain(
      'cannot create resource "serviceaccounts/token"',
    );
    expect(await rejected({ expirationSeconds: 86_400, boundTo })).toBe('accepted');
  });

  it('renews its token while it is connected, and the one before stays valid', async () => {
    const before = await tokenOf(east());
    await east().stop('member');
    const body = { metadata: { annotations: { [Annotation.tokenReceived]: '2020-01-01T00:00:00Z' } } };
    await east().admin.patch(Secret, leaderSecret, { type: 'merge', body });
    await east().start('member');
    await fleet.until('it has another token', async () => (await tokenOf(east())) !== before);
    await fleet.eventually('east is connected', () => east().view.clusterSet(), 'True Connected');
    using stack = new DisposableStack();
    const client = stack.adopt(clientWith(before), (one) => one.close());
    await expect(read(client)).resolves.toBeDefined();
  });

  it('is rejected within 15 s when it is revoked, and joins again with another file', async () => {
    using stack = new DisposableStack();
    const client = stack.adopt(clientWith(await tokenOf(east())), (one) => one.close());
    await read(client);
    expect(await isthmus('revoke east')).toContain('deleted Secret member-east.');
    const began = performance.now();
    const isEnded = () => read(client).then(() => false, isUnauthorized);
    await fleet.until('the token is rejected', isEnded);
    expect(performance.now() - began).toBeLessThan(15_000);
    await fleet.until('east reports it', async () => (await ready(east())).startsWith('Unauthorized'));
    expect(await ready(east())).toContain('and has been revoked');
    await apply(east(), await joinFile());
    await fleet.eventually('east is connected', () => east().view.clusterSet(), 'True Connected');
  });
});
