import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Lease } from '@isthmus/api';
import type { RealFleet } from '@isthmus/testkit';
import { findBinaries, startRealFleet } from '@isthmus/testkit';
import { startStory, typeBlock } from '../../../../scripts/pages/testing/story.ts';
import { antreaDefinitions } from '../../../../bench/swaps/antrea-definitions.ts';
import { installTools } from '../../../../tools/programs.ts';
import { runOnClusters } from '../../../../scripts/readme-commands.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/**
 * The commands of README.md, typed in a folder that looks like the checkout and has the
 * kubeconfigs. These clusters have no Nodes, so the controllers run as "Without the image" has it;
 * scripts/release/on-nodes.envtest.test.ts types the others with the image.
 */
const checkout = fileURLToPath(new URL('../../../..', import.meta.url));

let fleet: RealFleet;
let folder: string;
const { heading, install, join: joinSet, leave, uninstall } = runOnClusters;
const withoutImage = 'Without the image';
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

const type = (block: string) => typeBlock(block, { cwd: folder, env: env() });
/** With a cluster as the current one. */
const typeIn = (cluster: string) => (block: string) =>
  typeBlock(block, { cwd: folder, env: { ...env(), KUBECONFIG: join(folder, `${cluster}.kubeconfig`) } });

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
 * kube-apiserver 1.36 can take five minutes to delete a CustomResourceDefinition whose objects were
 * never read: it opens their storage then, finds it unready, writes that into the status, and where
 * it tries again before it has seen that write, the conflict ends its tries until all definitions
 * are looked at again. README.md names the five minutes; nothing here depends on them.
 */
const readEveryKind = `kubectl get -A "$(kubectl get crd -o name | cut -d/ -f2 | paste -sd,)"`;

describe('README, "Run it on your clusters"', () => {
  const readme = startStory(import.meta.url, 'README.md');

  it('installs leader and members, whose Deployments ask for no Pods', async () => {
    await readme.run(heading, (block) => type(fromDeploy(block)), install);
    await readme.run(withoutImage, type, 1);
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
    await readme.run(
      withoutImage,
      async (block) => {
        const lines = block.trim().split('\n');
        expect(lines).toHaveLength(3);
        terminals.push(...lines.map((line) => open(line)));
        for (const terminal of terminals) {
          await fleet.until(
            `${terminal.line} listens`,
            async () => terminal.said().includes('"message":"listening"'),
            60_000,
          );
        }
      },
      2,
    );
  });

  it('joins both members to the ClusterSet, with tokens that name their cluster', async () => {
    expect(await readme.run(heading, type, joinSet)).toContain(
      'clusterset.multicluster.crd.antrea.io/fleet condition met',
    );
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
    await readme.run('Export a Service', (yaml) => fleet.cluster('west').shell('kubectl apply -f -', yaml));
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
    const described = await readme.run('Export a Service', typeIn('west'), 2);
    for (const condition of ['Valid', 'Ready', 'Conflict'])
      expect(described).toMatch(new RegExp(`Type: +${condition}\\n`));
  });

  it('lets Prometheus read metrics', async () => {
    await readme.run('Read the metrics', typeIn('west'));
    const may = 'kubectl auth can-i get /metrics --as=system:serviceaccount:monitoring:prometheus';
    expect((await fleet.cluster('west').shell(may)).stdout).toBe('yes\n');
  });

  it('leaves with both members, and nothing of them is left on the leader', async () => {
    await readme.run(heading, type, leave);
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
    await readme.run(heading, (block) => type(fromDeploy(block)), uninstall);
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

/** After README.md has left these clusters as they were. */
describe('other ways to install', () => {
  const helmPage = startStory(import.meta.url, 'docs/helm.md');
  const kustomizePage = startStory(import.meta.url, 'docs/kustomize.md');
  const dnsGuide = startStory(import.meta.url, 'docs/guides/dns.md');
  const agentGuide = startStory(import.meta.url, 'docs/guides/agent.md');
  const antreaPage = startStory(import.meta.url, 'docs/antrea.md');
  /** In the checkout, with a context for each cluster, Helm, and the installed command. */
  let installed: Readonly<Record<string, string>>;
  const typeInstalled = (block: string) => typeBlock(block, { cwd: folder, env: installed });
  const north = (line: string) => fleet.cluster('north').shell(line);
  const east = (line: string) => fleet.cluster('east').shell(line);
  const deployment = (namespace: string, path: string) =>
    `kubectl get deployment antrea-mc-controller -n ${namespace} -o jsonpath='${path}'`;

  beforeAll(() => {
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    const launcher = join(checkout, 'packages/cli/bin/isthmus.js');
    writeFileSync(join(bin, 'isthmus'), `#!/bin/sh\nexec ${process.execPath} ${launcher} "$@"\n`, { mode: 0o755 });
    const [tools] = installTools(console.log);
    symlinkSync(tools?.helm ?? '', join(bin, 'helm'));
    const contexts = fleet.clusters.map(({ name }) => join(folder, `${name}.kubeconfig`));
    installed = { ...env(), PATH: `${bin}:${env().PATH}`, KUBECONFIG: contexts.join(':') };
  });

  it('with Helm: what is rendered for kubectl is accepted, and a leader and a member are installed', async () => {
    await helmPage.run('Install with Helm', typeInstalled, 2);
    await helmPage.run('Install with Helm', typeInstalled);
    const image = '{.spec.template.spec.containers[0].image}';
    const name = /^registry\.example\.com\/isthmus\/controller:\d/;
    expect((await north(deployment('antrea-multicluster', image))).stdout).toMatch(name);
    expect((await east(deployment('kube-system', image))).stdout).toMatch(name);
    const secrets = await north('kubectl get secrets -n antrea-multicluster -o name');
    expect(secrets.stdout).toContain('secret/member-east\nsecret/member-west\n');
  });

  it('with Helm: the CustomResourceDefinitions stay when the releases go, and are deleted by a command', async () => {
    await typeInstalled('helm --kube-context north uninstall isthmus -n antrea-multicluster');
    await typeInstalled('helm --kube-context east uninstall isthmus -n kube-system');
    for (const shell of [north, east]) {
      expect((await shell('kubectl get crd -o name')).stdout).toContain('clustersets.multicluster.crd.antrea.io');
      await shell(readEveryKind);
    }
    for (const cluster of ['north', 'east']) await helmPage.run('CustomResourceDefinitions', typeIn(cluster));
    for (const shell of [north, east]) expect((await shell('kubectl get crd -o name')).stdout).toBe('');
    await north('kubectl delete namespace antrea-multicluster');
  });

  it('with kustomize', async () => {
    await kustomizePage.run('Install with kustomize', typeInstalled);
    expect((await north(deployment('antrea-multicluster', '{.spec.replicas}'))).stdout).toBe('2');
    expect((await east(deployment('kube-system', '{.spec.replicas}'))).stdout).toBe('2');
    await kustomizePage.run('Install with kustomize', typeInstalled, 4);
    const { stdout } = await east('kubectl get configmaps -n kube-system -o yaml');
    expect(stdout).toContain('endpointIPType: PodIP');
    expect(stdout).not.toContain('endpointIPType: ClusterIP');
  });

  it('with kustomize, in another Namespace', async () => {
    await kustomizePage.run('Another Namespace', typeInstalled);
    const { shell } = fleet.cluster('west');
    expect((await shell(deployment('isthmus', '{.spec.replicas}'))).stdout).toBe('2');
    const { stdout } = await shell('kubectl get validatingadmissionpolicies,clusterrolebindings -o yaml');
    expect(stdout).toContain('name: isthmus-isthmus-one-cluster-set\n');
    expect(stdout).not.toContain('kube-system-isthmus');
    expect(stdout).not.toContain('kube-system:antrea-mc-controller');
  });

  it('lets CoreDNS read imports, as the guide about names does', async () => {
    await dnsGuide.run('Use the multicluster option of CoreDNS', typeIn('east'));
    const may = (verb: string) =>
      east(
        `kubectl auth can-i ${verb} serviceimports.multicluster.x-k8s.io -A --as=system:serviceaccount:kube-system:coredns`,
      );
    for (const verb of ['list', 'watch']) expect((await may(verb)).stdout).toBe('yes\n');
  });

  it('lets Prometheus read metrics of agents, and shows which Pod CIDRs are translated, as the guide of the agents does', async () => {
    await agentGuide.run('Read the metrics', typeIn('east'));
    const may = 'kubectl auth can-i get /metrics --as=system:serviceaccount:monitoring:prometheus';
    expect((await east(may)).stdout).toBe('yes\n');
    const clusterSet = {
      apiVersion: 'multicluster.crd.antrea.io/v1alpha2',
      kind: 'ClusterSet',
      metadata: { name: 'fleet', namespace: 'kube-system' },
      spec: { clusterID: 'east', namespace: 'antrea-multicluster', leaders: [{ clusterID: 'north' }] },
    };
    await fleet.cluster('east').shell('kubectl apply -f -', JSON.stringify(clusterSet));
    // No controller runs here that would write it.
    const message = 'east 10.10.0.0/16=100.64.0.0/16';
    const conditions = [
      { type: 'Ready', status: 'False', reason: 'Pending', message: '', lastTransitionTime: '2026-11-27T00:00:00Z' },
      {
        type: 'PodCIDRsTranslated',
        status: 'True',
        reason: 'Allotted',
        message,
        lastTransitionTime: '2026-11-27T00:00:00Z',
      },
    ];
    const status = JSON.stringify({ status: { conditions } });
    await east(`kubectl patch clusterset fleet -n kube-system --subresource=status --type=merge -p '${status}'`);
    expect(await agentGuide.run('Pods with the same addresses', typeIn('east'), 2)).toBe(message);
  });

  it('changes from manifests to Helm, which takes over the objects as they are', async () => {
    const uid = () => east(deployment('kube-system', '{.metadata.uid}'));
    const before = await uid();
    await helmPage.run('Change from manifests to Helm, or back', typeInstalled);
    expect(await uid()).toEqual(before);
    expect((await east(deployment('kube-system', '{.metadata.labels}'))).stdout).toContain('"Helm"');
  });

  it('changes from Antrea: its webhook configurations are deleted, and no setting of its Deployment stays', async () => {
    const webhooks = ['Validating', 'Mutating'].map((kind) => ({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: `${kind}WebhookConfiguration`,
      metadata: { name: `antrea-mc-${kind.toLowerCase()}`, labels: { 'served-by': 'antrea-mc-controller' } },
    }));
    const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: webhooks });
    await fleet.cluster('north').shell('kubectl apply -f -', list);
    // As from a tool that applies on the server: kubectl apply would leave this setting.
    const setting = '{.spec.template.spec.hostNetwork}';
    const namespace = 'antrea-multicluster';
    await north(
      `kubectl patch deployment antrea-mc-controller -n ${namespace} -p '{"spec":{"template":{"spec":{"hostNetwork":true}}}}'`,
    );
    await antreaPage.run('To Isthmus', typeInstalled);
    await typeInstalled('kubectl --context north apply -f deploy/leader.yaml');
    expect((await north(deployment(namespace, setting))).stdout).toBe('');
    const left = 'kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations -o name';
    expect((await north(left)).stdout).not.toContain('antrea');
  });

  it('changes to Antrea: the handover shows its plan, carries it out, and Antrea’s manifest is accepted', async () => {
    const said = await antreaPage.run('Back to Antrea', typeInstalled);
    const step = 'Stop the controller of Isthmus: scale Deployment antrea-multicluster/antrea-mc-controller to 0';
    const [, shown, done] = said.split(/^Handover of the leader in .*\n/m);
    expect(shown).toContain(`  1. ${step}\nNothing has been changed.`);
    expect(done).toContain(`${step} ... ok`);
    expect(done).toContain(
      'kubectl delete validatingadmissionpolicies,validatingadmissionpolicybindings -l served-in=',
    );
    expect((await north(deployment('antrea-multicluster', '{.spec.replicas}'))).stdout).toBe('0');
    expect(await typeInstalled('helm --kube-context east list -n kube-system -q')).toContain('isthmus');
    await antreaPage.run('Back to Antrea', typeInstalled, 2);
    expect(await typeInstalled('helm --kube-context east list -n kube-system -q')).not.toContain('isthmus');
    writeFileSync(join(folder, 'antrea-multicluster-leader.yml'), antreaDefinitions('leader'));
    await antreaPage.run('Back to Antrea', typeInstalled, 3);
    const ofOurs = 'kubectl get deployments,poddisruptionbudgets,networkpolicies -n antrea-multicluster -o name';
    expect((await north(ofOurs)).stdout).toBe('');
    expect((await north('kubectl get validatingadmissionpolicies -o name')).stdout).toBe('');
    const versions = `kubectl get crd clustersets.multicluster.crd.antrea.io -o jsonpath='{.metadata.labels.app}'`;
    expect((await north(versions)).stdout).toBe('antrea');
  });
});
