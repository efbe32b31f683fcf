import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Lease } from '@isthmus/api';
import type { RealFleet } from '@isthmus/testkit';
import { findBinaries, startRealFleet } from '@isthmus/testkit';
import { runOnClusters } from '../../../../scripts/readme-commands.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/**
 * The commands of README.md, typed in a folder that looks like the checkout and has the kubeconfigs. These clusters have no Nodes, so the controllers run
 * as "Without the image" has it; scripts/release/on-nodes.envtest.test.ts types the others with the image.
 */
const checkout = fileURLToPath(new URL('../../../..', import.meta.url));

let fleet: RealFleet;
let folder: string;
const readme = runOnClusters(readFileSync(join(checkout, 'README.md'), 'utf8'));
/** "With the manifests of `deploy` instead of `dist/manifests`." */
const fromDeploy = (block: string) => block.replaceAll('dist/manifests/', 'deploy/');
const terminals: Terminal[] = [];

beforeAll(async () => {
  fleet = await startRealFleet({
    clusters: { north: 'leader', east: 'member', west: 'member' },
    install: false,
    join: false,
  });
  folder = mkdtempSync(join(tmpdir(), 'isthmus-readme-'));
  for (const part of ['deploy', 'node_modules', 'package.json']) symlinkSync(join(checkout, part), join(folder, part));
  for (const { name, server } of fleet.clusters) {
    writeFileSync(join(folder, `${name}.kubeconfig`), readFileSync(server.kubeconfigPath), { mode: 0o600 });
  }
});
afterAll(async () => {
  for (const terminal of terminals) terminal.press('SIGKILL');
  await fleet?.[Symbol.asyncDispose]();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

/** The machine's own commands and kubectl, without what npm puts in front. */
function env() {
  const usual = (process.env['PATH'] ?? '').split(':').filter((part) => !part.includes('node_modules'));
  return { PATH: [dirname(findBinaries(process.env).kubectl), ...usual].join(':'), HOME: folder };
}

const type = (block: string) => promisify(execFile)('sh', ['-ec', block], { cwd: folder, env: env() });

interface Terminal {
  readonly line: string;
  said(): string;
  /** To the whole process group, as a key does. */
  press(signal: NodeJS.Signals): void;
}

function open(line: string): Terminal {
  const child = spawn('sh', ['-c', line], {
    cwd: folder,
    env: env(),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text));
  return {
    line,
    said: () => said,
    press(signal) {
      if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid ?? 0), signal);
    },
  };
}

/** A Service with the address of a Pod: without Nodes, no Pod of these clusters gets one. */
const serviceWithPod = `
apiVersion: v1
kind: Service
metadata: {name: cart, namespace: shop}
spec: {ports: [{name: http, port: 80, targetPort: 8080}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: cart-1, namespace: shop, labels: {kubernetes.io/service-name: cart}}
addressType: IPv4
endpoints: [{addresses: [10.244.3.7], conditions: {ready: true}}]
ports: [{name: http, port: 8080, protocol: TCP}]
`;

/**
 * kube-apiserver 1.36 can take five minutes to delete a CustomResourceDefinition whose objects were never read: it opens their storage then, finds it
 * unready, writes that into the status, and where it tries again before it has seen that write, the conflict ends its tries until all definitions
 * are looked at again. README.md names the five minutes; nothing here depends on them.
 */
const readEveryKind = `kubectl get -A "$(kubectl get crd -o name | cut -d/ -f2 | paste -sd,)"`;

describe('README, "Run it on your clusters"', () => {
  it('installs leader and members, whose Deployments ask for no Pods', async () => {
    await type(fromDeploy(readme.install));
    await type(readme.withoutImage);
    const replicas = `-o jsonpath='{.spec.replicas}'`;
    for (const [name, namespace] of [
      ['north', 'antrea-multicluster'],
      ['east', 'kube-system'],
      ['west', 'kube-system'],
    ] as const) {
      const { stdout } = await fleet
        .cluster(name)
        .shell(`kubectl get deployment antrea-mc-controller -n ${namespace} ${replicas}`);
      expect(stdout).toBe('0');
    }
  });

  it('runs all controllers on one machine', async () => {
    const lines = readme.controllers.trim().split('\n');
    expect(lines).toHaveLength(3);
    terminals.push(...lines.map((line) => open(line)));
    for (const terminal of terminals) {
      await fleet.until(
        `${terminal.line} listens`,
        async () => terminal.said().includes('"message":"listening"'),
        60_000,
      );
    }
  });

  it('joins both members to the ClusterSet, with tokens that name their cluster', async () => {
    const { stdout } = await type(readme.join);
    expect(stdout).toContain('clusterset.multicluster.crd.antrea.io/fleet condition met');
    for (const member of ['east', 'west']) {
      expect(await fleet.cluster(member).view.clusterSet()).toBe('True Connected');
      const { stdout: account } = await fleet
        .cluster('north')
        .shell(`kubectl get serviceaccount member-${member} -n antrea-multicluster -o yaml`);
      expect(account).toContain(`multicluster.antrea.io/cluster-id: ${member}`);
    }
  });

  it('imports the Pod IPs of an exported Service, as the configuration has it', async () => {
    for (const name of ['east', 'west']) await fleet.cluster(name).shell('kubectl create namespace shop');
    await fleet.cluster('west').shell('kubectl apply -f -', serviceWithPod);
    await fleet.cluster('west').shell('kubectl apply -f -', readme.serviceExport);
    const addresses = async () => {
      const { stdout } = await fleet
        .cluster('east')
        .shell(
          `kubectl get endpointslices -n shop -l multicluster.kubernetes.io/service-name=cart -o jsonpath='{.items[*].endpoints[*].addresses[*]}'`,
        );
      return stdout;
    };
    await fleet.eventually('east imports the Pod of west', addresses, '10.244.3.7');
    await fleet.cluster('west').shell('kubectl wait -n shop serviceexport/cart --for=condition=Ready --timeout=60s');
  });

  it('leaves with both members, and nothing of them is left on the leader', async () => {
    await type(readme.leave);
    const { stdout } = await fleet
      .cluster('north')
      .shell('kubectl get clustersets,memberclusterannounces,resourceexports,resourceimports -A -o name');
    expect(stdout).toBe('');
  });

  it('ends all controllers by Ctrl-C, in good order: no Lease is held any more', async () => {
    for (const terminal of terminals) terminal.press('SIGINT');
    for (const [name, namespace, lease] of [
      ['north', 'antrea-multicluster', 'isthmus-leader'],
      ['east', 'kube-system', 'isthmus-member'],
      ['west', 'kube-system', 'isthmus-member'],
    ] as const) {
      const held = async () => (await fleet.cluster(name).admin.get(Lease, { namespace, name: lease })).spec;
      await fleet.eventually(`${name}: the Lease is free`, async () => (await held())?.holderIdentity, '');
    }
    for (const terminal of terminals) {
      await fleet.until(`${terminal.line} has stopped`, async () => terminal.said().includes('"message":"stopped"'));
      expect(terminal.said()).not.toContain('a second signal');
    }
  });

  it('uninstalls: no custom resource, no object of the manifests and no Lease is left', async () => {
    for (const { shell } of fleet.clusters) await shell(readEveryKind);
    await type(fromDeploy(readme.uninstall));
    for (const name of ['north', 'east', 'west']) {
      const { stdout } = await fleet.cluster(name).shell('kubectl get crd -o name');
      expect([name, stdout]).toEqual([name, '']);
      const { stdout: leases } = await fleet
        .cluster(name)
        .shell('kubectl get leases -A -o name | grep isthmus || true');
      expect([name, leases]).toEqual([name, '']);
    }
  });
});
