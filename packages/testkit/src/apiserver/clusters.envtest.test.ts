import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RealApiServer } from './api-server.ts';
import { asAdmin, create, read } from './as-admin.ts';
import { readAuditLog } from './audit-log.ts';
import { findBinaries, locateBinaries } from './find-binaries.ts';
import { startApiServers } from './fleet.ts';
import type { RealApiServers } from './fleet.ts';
import { sendHttps } from './https.ts';
import { tracesOf } from './left-behind.ts';

interface Named {
  readonly metadata: { readonly name: string };
}

const configMaps = '/api/v1/namespaces/default/configmaps';
const configMap = (name: string): Named => ({ metadata: { name } });

describe('three clusters started in parallel', () => {
  let fleet: RealApiServers<'north' | 'east' | 'west'>;
  let all: readonly RealApiServer[];
  beforeAll(async () => {
    fleet = await startApiServers({ north: {}, east: {}, west: {} });
    all = [fleet.north, fleet.east, fleet.west];
  });
  afterAll(async () => {
    const directories = all.map((server) => dirname(server.kubeconfigPath));
    await fleet[Symbol.asyncDispose]();
    expect(directories.flatMap(tracesOf)).toEqual([]);
  });

  it('answer with the version of their program, which is the pinned one unless KUBEBUILDER_ASSETS names another', async () => {
    const program = findBinaries(process.env)['kube-apiserver'];
    const built = execFileSync(program, ['--version'], { encoding: 'utf8' }).trim().replace('Kubernetes ', '');
    if (!process.env['KUBEBUILDER_ASSETS']) expect(built).toBe(locateBinaries(process.env).version);
    for (const server of all) expect(await read(server, '/version')).toMatchObject({ gitVersion: built });
  });

  it('hold what was written to each, and nothing of the others', async () => {
    for (const server of all) await create(server, configMaps, configMap(`of-${server.name}`));
    for (const server of all) {
      const list = await read<{ readonly items: readonly Named[] }>(server, configMaps);
      expect(list.items.map((item) => item.metadata.name)).toEqual([`of-${server.name}`]);
    }
  });

  it('allot ClusterIPs from disjoint networks', async () => {
    const addresses = all.map(async (server) => {
      const body = { metadata: { name: 'cart' }, spec: { clusterIP: '', ports: [{ port: 80 }] } };
      return (await create(server, '/api/v1/namespaces/default/services', body)).spec.clusterIP;
    });
    const networks = (await Promise.all(addresses)).map((address) => address.split('.').slice(0, 2).join('.'));
    expect(networks).toEqual(['10.96', '10.97', '10.98']);
  });

  it('do not accept the certificates of each other, and let nobody in without', async () => {
    const { north, east } = fleet;
    const limit = () => AbortSignal.timeout(60_000);
    const otherClient = { url: east.url, caData: east.caData, client: north.admin };
    expect((await sendHttps(otherClient, { path: configMaps }, limit())).status).toBe(401);
    const anonymous = { url: east.url, caData: east.caData };
    expect((await sendHttps(anonymous, { path: configMaps }, limit())).status).toBe(403);
    const mistaken = { url: east.url, caData: north.caData, client: east.admin };
    await expect(sendHttps(mistaken, { path: '/version' }, limit())).rejects.toThrow(/certificate/);
  });

  it('give kubectl a kubeconfig that only its owner can read', () => {
    const { kubeconfigPath } = fleet.west;
    expect(statSync(kubeconfigPath).mode & 0o777).toBe(0o600);
    const cache = join(dirname(kubeconfigPath), 'kubectl-cache');
    const args = ['--kubeconfig', kubeconfigPath, '--cache-dir', cache, 'get', 'namespace', 'default', '-o', 'name'];
    expect(execFileSync(findBinaries(process.env).kubectl, args, { encoding: 'utf8' })).toBe('namespace/default\n');
  });

  it('audit each request once, with its user', async () => {
    const { north } = fleet;
    const path = '/api/v1/namespaces/default/secrets/does-not-exist';
    for (let i = 0; i < 3; i++) await asAdmin(north, { path });
    const seen = readAuditLog(north.auditLogPath).filter((request) => request.requestURI === path);
    expect(seen).toHaveLength(3);
    expect(seen[0]).toMatchObject({ user: 'kubernetes-admin', verb: 'get', resource: 'secrets', code: 404 });
  });

  it('hang while frozen and answer what waited once resumed', async () => {
    const { east } = fleet;
    await east.freeze('kube-apiserver');
    let answered = false;
    const waiting = asAdmin(east, { path: '/version' }).then((answer) => {
      answered = true;
      return answer.status;
    });
    await delay(300);
    expect(answered).toBe(false);
    east.resume('kube-apiserver');
    expect(await waiting).toBe(200);
  });

  it('refuse connections while stopped, and come back with their address and their objects', async () => {
    const { west } = fleet;
    const before = west.pid('kube-apiserver');
    await west.stop('kube-apiserver');
    expect(west.pid('kube-apiserver')).toBeUndefined();
    await expect(asAdmin(west, { path: '/version' })).rejects.toThrow(/ECONNREFUSED/);
    await expect(west.freeze('kube-apiserver')).rejects.toThrow(/kube-apiserver of cluster west: it does not run/);
    await west.start('kube-apiserver');
    expect(west.pid('kube-apiserver')).not.toBe(before);
    expect(await read(west, `${configMaps}/of-west`)).toMatchObject({ metadata: { name: 'of-west' } });
    await expect(west.start('kube-apiserver')).rejects.toThrow(/it runs already/);
    await expect(west.start('kube-controller-manager')).rejects.toThrow(/made without one/);
  });

  it('keep their objects when etcd is killed and started again', async () => {
    const { west } = fleet;
    await create(west, configMaps, configMap('kept'));
    await west.restart('etcd');
    await expect.poll(async () => (await asAdmin(west, { path: `${configMaps}/kept` })).status).toBe(200);
  });
});
