import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Testbed } from '@isthmus/testkit';
import { checksAllPoints, findBinaries, missingForNodes, startTestbed } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installTools } from '../../tools/programs.ts';
import { builtRelease } from './testing/built-release.ts';
import { startCalls } from './testing/calls.ts';
import { copyTokens, createClusterSets, membersAreReady } from './testing/join-members.ts';
import type { PodSeen } from './testing/release-on-nodes.ts';
import {
  cart,
  clientOn,
  container,
  controller,
  controllers,
  isReady,
  run,
  userIn,
} from './testing/release-on-nodes.ts';
import { startStory } from '../pages/testing/story.ts';
import { runOnClusters } from '../readme-commands.ts';
import { watchImports } from './testing/watch-imports.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string };
const missing = missingForNodes(process.env);
if (missing.length > 0) console.log(`skipped, as this machine cannot run nodes: ${missing.join('; ')}`);

/**
 * A test of the soak, as it takes minutes: the others show that a release works, these what becomes
 * of it.
 */
const whole = it.runIf(checksAllPoints());

/**
 * Where a release is installed, and what happens to it there, in the order of README.md, "Run it on
 * your clusters".
 */
describe.skipIf(missing.length > 0)('a release on real Nodes', () => {
  const readme = startStory(import.meta.url, 'README.md');
  const { heading } = runOnClusters;
  const folder = missing.length > 0 ? '' : mkdtempSync(join(tmpdir(), 'isthmus-on-nodes-'));
  let dist: string;
  const image = () => join(dist, `isthmus-controller-${version}.oci.tar`);
  let testbed: Testbed | undefined;

  const user = (name: string) => userIn(testbed, name);
  const kubectl = (cluster: string, args: readonly string[], input?: string) => user(cluster).kubectl(args, input);
  const apply = (cluster: string, ...objects: readonly object[]) => user(cluster).apply(...objects);

  /** The controllers of east, on its two Nodes. */
  const east = {
    pods: () => user('east').pods('kube-system'),
    holder: () =>
      kubectl('east', ['get', 'lease', 'isthmus-member', '-n', 'kube-system', '-o', 'jsonpath={.spec.holderIdentity}']),
    async leading(): Promise<PodSeen> {
      const holder = await east.holder();
      const found = (await east.pods()).find(({ metadata }) => holder.startsWith(`${metadata.name}_`));
      if (found === undefined) throw new Error(`no Pod of east holds the Lease, but ${JSON.stringify(holder)}`);
      return found;
    },
    /** The ready Pods on these Nodes that are not about to end. */
    async serving(...nodes: readonly string[]): Promise<readonly string[]> {
      return (await east.pods())
        .filter((pod) => isReady(pod) && pod.metadata.deletionTimestamp === undefined)
        .filter(({ spec }) => nodes.length === 0 || nodes.includes(spec.nodeName ?? ''))
        .map(({ metadata }) => metadata.name);
    },
    other: (node: string) => (node === 'east-1' ? 'east-2' : 'east-1'),
  };

  /**
   * Does something while a Pod on a Node of east calls the imported Service, and every object of
   * the import is watched: no call fails and no object changes. Afterwards the controllers still do
   * their work.
   */
  const undisturbed = async (clientNode: string, act: () => Promise<void>) => {
    const watched = watchImports(user('east'), 'shop', /\bcart\b/);
    await expect
      .poll(() => new Set(Object.keys(watched.states()).map((key) => key.split(' ')[0])))
      .toEqual(new Set(['EndpointSlice', 'Service', 'ServiceImport']));
    const before = watched.states();
    const address = await kubectl('east', [
      'get',
      'service',
      'antrea-mc-cart',
      '-n',
      'shop',
      '-o',
      'jsonpath={.spec.clusterIP}',
    ]);
    const client = await kubectl('east', ['get', 'pod', `client-${clientNode}`, '-o', 'jsonpath={.status.podIP}']);
    await connects(clientNode, address);
    const calling = startCalls(user('east').node(clientNode), client, { address, port: 80, pods: 'cart-' });
    const acted = await act().then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    const { calls, failed } = await calling.stop();
    const after = watched.stop();
    if (acted !== undefined) throw acted.error;
    expect({ failed, some: calls > 0 }).toEqual({ failed: [], some: true });
    expect(after).toEqual(before);
    await scaleAndFollow();
  };

  /** kube-proxy learns of endpoints a moment after they are written. */
  const connects = (clientNode: string, address: string) => {
    const connect = ['exec', `client-${clientNode}`, '--', '/agnhost', 'connect', `${address}:80`, '--timeout=10s'];
    return expect.poll(async () => (await user('east').attempt(connect)).out).toBe('');
  };

  let replicas = 2;
  /** One Pod more behind the exported Service: its address arrives in east. */
  const scaleAndFollow = async () => {
    await kubectl('west', ['scale', 'deployment/cart', '-n', 'shop', `--replicas=${++replicas}`]);
    await allArrive();
  };
  /**
   * All Pods of the exported Service are in east, and ready: a later change is one that the test
   * did not make.
   */
  const allArrive = async () => {
    const slices = ['get', 'endpointslices', '-n', 'shop', '-l', 'kubernetes.io/service-name=antrea-mc-cart'];
    const ready = 'jsonpath={.items[*].endpoints[?(@.conditions.ready==true)].addresses}';
    const addresses = async () => (await kubectl('east', [...slices, '-o', ready])).match(/10\.30\.1\.\d+/g)?.length;
    await expect.poll(addresses).toBe(replicas);
  };

  const area = { namespace: 'antrea-multicluster' };

  /**
   * Types a block of README.md where its reader has the release and the kubeconfigs. On a Node,
   * because the kubeconfigs name the API servers at addresses that Pods of the other clusters
   * reach, too, and this machine does not.
   */
  const type = async (block: string) => {
    const env = [`PATH=${dirname(findBinaries(process.env).kubectl)}:${process.env['PATH'] ?? ''}`, `HOME=${folder}`];
    const script = ['-C', folder, ...env, 'sh', '-ec', block];
    const { code, stderr } = await user('north').node('north-1').run('env', script);
    expect({ block, code, stderr: code === 0 ? '' : stderr }).toEqual({ block, code: 0, stderr: '' });
  };

  /** README.md waits a minute or two for each cluster; this host may be slower. */
  const patient = (block: string) => block.replaceAll(/--timeout=\d+s/g, '--timeout=900s');

  const exportCart = () => readme.run('Export a Service', (yaml) => kubectl('west', ['apply', '-f', '-'], yaml));

  const members = () => ['east', 'west'].map(user);
  beforeAll(async () => {
    dist = await builtRelease(folder);
    if (dist !== join(folder, 'dist')) symlinkSync(dist, join(folder, 'dist'));
    testbed = await startTestbed({
      // Two Nodes of east, with disks that can be filled: one has the leading replica, and whatever
      // happens to it, the other one goes on.
      clusters: { north: { nodes: 1 }, east: { nodes: 2, diskMiB: 768 }, west: { nodes: 1 } },
      routed: true,
    });
    for (const { layout, server } of Object.values(testbed.clusters)) {
      const { port } = new URL(server.url);
      const kubeconfig = readFileSync(server.kubeconfigPath, 'utf8').replace(
        server.url,
        `https://${layout.address}:${port}`,
      );
      expect(kubeconfig).toContain(layout.address);
      writeFileSync(join(folder, `${layout.name}.kubeconfig`), kubeconfig, { mode: 0o600 });
    }
  });

  afterAll(async () => {
    await testbed?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  it('starts two Ready replicas of each controller from the manifests and the image as they are', async () => {
    await readme.run(
      heading,
      async (block) => {
        expect(block).toContain(version);
        for (const { nodes } of Object.values(testbed?.clusters ?? {}))
          for (const node of nodes) {
            const { code, stderr } = await node.run('env', ['-C', folder, 'sh', '-ec', block]);
            expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
          }
      },
      runOnClusters.image,
    );
    await readme.run(heading, type, runOnClusters.install);
    await readme.run(heading, (block) => type(patient(block)), runOnClusters.check);
    for (const [cluster, namespace] of controllers)
      await expect.poll(async () => (await user(cluster).pods(namespace)).filter(isReady)).toHaveLength(2);
  });

  it('asks for no storage, because a Node whose kubelet does not measure it takes no Pod that does', async () => {
    const [pod] = await user('north').pods(area.namespace);
    expect(JSON.stringify(pod)).not.toContain('ephemeral-storage');
    const asking = {
      ...clientOn(''),
      metadata: { name: 'asking', namespace: 'default' },
      spec: { containers: [{ ...container, name: 'asking', resources: { requests: { 'ephemeral-storage': '1Mi' } } }] },
    };
    await apply('north', asking);
    const said = () => kubectl('north', ['get', 'pod', 'asking', '-o', 'jsonpath={.status.conditions[*].message}']);
    await expect.poll(said).toContain('Insufficient ephemeral-storage');
    await kubectl('north', ['delete', 'pod', 'asking', '--now']);
  });

  it('joins members by tokens of the leader, through the networks of their Pods', async () => {
    await readme.run(heading, (block) => type(patient(block)), runOnClusters.join);
    await membersAreReady(members());
  });

  it('a client in one cluster calls Pods of another by the imported Service', async () => {
    await apply('east', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
    await apply('west', ...cart);
    await exportCart();
    await kubectl('west', ['wait', 'serviceexport/cart', '-n', 'shop', '--for=condition=Ready', '--timeout=900s']);
    await kubectl('west', ['rollout', 'status', 'deployment/cart', '-n', 'shop', '--timeout=900s']);
    await allArrive();
    const nodes = user('east').cluster.nodes.map(({ layout }) => layout.name);
    await apply('east', ...nodes.map(clientOn));
    const imported = ['get', 'service', 'antrea-mc-cart', '-n', 'shop', '-o', 'jsonpath={.spec.clusterIP}'];
    const address = await kubectl('east', imported);
    for (const name of nodes) {
      await kubectl('east', ['wait', `pod/client-${name}`, '--for=condition=Ready', '--timeout=900s']);
      await connects(name, address);
    }
    const pods = await kubectl('west', [
      'get',
      'pods',
      '-n',
      'shop',
      '-l',
      'app=cart',
      '-o',
      'jsonpath={.items[*].metadata.name}',
    ]);
    const [node] = user('east').cluster.nodes;
    const script = `fetch('http://${address}/hostname').then((r) => r.text()).then(console.log)`;
    const answers = async () =>
      pods.split(' ').includes((await node?.run(process.execPath, ['-e', script]))?.stdout.trim() ?? '');
    await expect.poll(answers).toBe(true);
  });

  whole(
    'reads a changed setting again: other clusters get the ClusterIP of the Service, and its Pods again',
    async () => {
      const pods = await user('west').pods('kube-system');
      const name = 'antrea-mc-controller-config';
      const set = async (from: string, to: string) => {
        const found = await kubectl('west', ['get', 'configmap', name, '-n', 'kube-system', '-o', 'json']);
        const config = JSON.parse(found) as { readonly data: Readonly<Record<string, string>> };
        const data = Object.fromEntries(
          Object.entries(config.data).map(([file, text]) => [
            file,
            text.replace(`endpointIPType: ${from}`, `endpointIPType: ${to}`),
          ]),
        );
        expect(data).not.toEqual(config.data);
        const patch = JSON.stringify({ data });
        await kubectl('west', ['patch', 'configmap', name, '-n', 'kube-system', '--type=merge', '-p', patch]);
      };
      const clusterIP = await kubectl('west', [
        'get',
        'service',
        'cart',
        '-n',
        'shop',
        '-o',
        'jsonpath={.spec.clusterIP}',
      ]);
      await set('PodIP', 'ClusterIP');
      const slices = ['get', 'endpointslices', '-n', 'shop', '-l', 'kubernetes.io/service-name=antrea-mc-cart'];
      // A kubelet brings a changed ConfigMap to its Pods within a minute or so.
      await expect.poll(() => kubectl('east', [...slices, '-o', 'jsonpath={..addresses}'])).toBe(`["${clusterIP}"]`);
      await set('ClusterIP', 'PodIP');
      await allArrive();
      const uids = (seen: readonly PodSeen[]) => seen.map(({ metadata }) => metadata.uid).toSorted();
      expect(uids(await user('west').pods('kube-system'))).toEqual(uids(pods));
    },
  );

  it('replaces the Pods of all controllers at once, as an upgrade does, and no call fails and nothing that is imported changes', async () => {
    const holders = () =>
      Promise.all(controllers.map(([cluster, namespace, lease]) => user(cluster).leading(namespace, lease)));
    const held = await holders();
    const deployment = `deployment/${controller}`;
    await undisturbed('east-1', async () => {
      await Promise.all(
        controllers.map(async ([cluster, namespace]) => {
          await kubectl(cluster, ['rollout', 'restart', deployment, '-n', namespace]);
          await kubectl(cluster, ['rollout', 'status', deployment, '-n', namespace, '--timeout=900s']);
        }),
      );
      await expect.poll(async () => (await holders()).filter((holder) => held.includes(holder))).toEqual([]);
      await membersAreReady(members());
    });
  });

  whole(
    'a Node that fails loses the leading replica: another one leads when the Lease has expired, and the lost Pods are replaced elsewhere',
    async () => {
      const lost = await east.leading();
      const failed = user('east').node(lost.spec.nodeName);
      const { name } = failed.layout;
      const elsewhere = east.other(name);
      // Five seconds instead of five minutes, in the toleration that the API server has added: of
      // two for one taint the first counts.
      for (const { metadata, spec } of await east.pods()) {
        if (spec.nodeName !== name) continue;
        const tolerations = spec.tolerations.map((toleration) => ({ ...toleration, tolerationSeconds: 5 }));
        const patch = JSON.stringify([{ op: 'replace', path: '/spec/tolerations', value: tolerations }]);
        await kubectl('east', ['patch', 'pod', metadata.name, '-n', 'kube-system', '--type=json', '-p', patch]);
      }
      await undisturbed(elsewhere, async () => {
        await failed.setLink('down');
        for (const component of ['kubelet', 'containerd'] as const) await failed.stop(component);
        // kube-controller-manager sets this condition when a Node has been silent for 50 s. The
        // taint and the eviction that follow are its own.
        const condition = { type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown', message: 'no heartbeat' };
        const status = JSON.stringify({ status: { conditions: [condition] } });
        await kubectl('east', ['patch', 'node', name, '--subresource=status', '--type=strategic', '-p', status]);
        await expect.poll(async () => (await east.serving(elsewhere)).length).toBe(2);
        await expect.poll(east.holder).not.toContain(lost.metadata.name);
        await expect
          .poll(async () => (await east.serving(elsewhere)).includes((await east.holder()).split('_')[0] ?? ''))
          .toBe(true);
        // No kubelet has confirmed that its containers ended.
        const there = (await east.pods()).find(({ metadata }) => metadata.name === lost.metadata.name);
        expect(there?.metadata.deletionTimestamp).toBeDefined();
      });
      await undisturbed(elsewhere, async () => {
        for (const component of ['containerd', 'kubelet'] as const) await failed.start(component);
        await failed.setLink('up');
        await kubectl('east', ['wait', 'node', name, '--for=condition=Ready', '--timeout=900s']);
        await expect.poll(async () => (await east.pods()).length).toBe(2);
        expect(await east.holder()).not.toContain(lost.metadata.name);
      });
    },
  );

  whole('a Node that is drained loses one replica at a time, because of the PodDisruptionBudget', async () => {
    const { spec } = await east.leading();
    const name = spec.nodeName ?? '';
    await expect.poll(async () => (await east.serving(name)).length).toBe(2);
    const before = await east.serving(name);
    const evict = (pod: string) =>
      user('east').attempt(
        ['create', '--raw', `/api/v1/namespaces/kube-system/pods/${pod}/eviction`, '-f', '-'],
        JSON.stringify({
          apiVersion: 'policy/v1',
          kind: 'Eviction',
          metadata: { name: pod, namespace: 'kube-system' },
        }),
      );
    await undisturbed(name, async () => {
      await kubectl('east', ['cordon', name]);
      const [first = '', second = ''] = before;
      await expect.poll(async () => (await evict(first)).code).toBe(0);
      expect((await evict(second)).out).toContain('disruption budget');
      const selector = `--pod-selector=component=${controller}`;
      await kubectl('east', ['drain', name, selector, '--ignore-daemonsets', '--timeout=900s']);
      await expect.poll(async () => (await east.serving(east.other(name))).length).toBe(2);
      await expect
        .poll(async () => (await east.leading().catch(() => undefined))?.spec.nodeName)
        .toBe(east.other(name));
    });
    await kubectl('east', ['uncordon', name]);
  });

  whole('a controller that the kernel kills for want of memory starts again in its Pod, which reports it', async () => {
    const { metadata, spec, status } = await east.leading();
    const held = await east.holder();
    const [container] = status.containerStatuses ?? [];
    const id = container?.containerID?.replace(/^.*\//, '') ?? '';
    const script = `
      cgroup=$(find /sys/fs/cgroup/memory/isthmus-testbed-* -type d -name ${id})
      echo $(($(cat $cgroup/memory.usage_in_bytes) + 8388608)) > $cgroup/memory.limit_in_bytes
      # Another process takes what is left; the kernel ends the one that Kubernetes has named first.
      sh -c "echo \\$\\$ > $cgroup/cgroup.procs; exec dd if=/dev/zero of=/dev/null bs=64M count=1" || true`;
    const ended = () =>
      user('east')
        .pods('kube-system')
        .then((pods) => pods.find(({ metadata: { uid } }) => uid === metadata.uid)?.status.containerStatuses?.[0]);
    await undisturbed(east.other(spec.nodeName ?? ''), async () => {
      await user('east').node(spec.nodeName).run('sh', ['-ec', script]);
      const last = async () => (await ended())?.lastState?.terminated ?? {};
      await expect.poll(last).toMatchObject({ reason: 'OOMKilled', exitCode: 137 });
      expect((await ended())?.restartCount).toBeGreaterThan(container?.restartCount ?? 0);
      // The next container of the Pod, or the other replica.
      await expect.poll(east.holder).not.toBe(held);
      await expect.poll(async () => (await east.serving()).length).toBe(2);
    });
  });

  whole(
    'a disk that is full changes nothing at first; then the kubelet evicts the leading replica, and another one leads at once',
    async () => {
      const { metadata, spec } = await east.leading();
      const node = user('east').node(spec.nodeName);
      const { name } = node.layout;
      /**
       * Its phase and the reason of its disruption, and the conditions of its Node, which help to
       * understand a failure.
       */
      const fate = async () => {
        const found = (await east.pods()).find(({ metadata: { uid } }) => uid === metadata.uid);
        const conditions = 'jsonpath={range .status.conditions[*]} {.type}={.status}{end}';
        const { phase = '', conditions: own = [] } = found?.status ?? { phase: 'gone' };
        const why = own.find(({ type }) => type === 'DisruptionTarget')?.reason ?? 'undisturbed';
        return `${phase} ${why}, Node:${await kubectl('east', ['get', 'node', name, '-o', conditions])}`;
      };
      await undisturbed(east.other(name), async () => {
        const filled = await node.run('dd', ['if=/dev/zero', 'of=/var/lib/kubelet/filler', 'bs=1M']);
        expect(filled.stderr).toContain('No space left on device');
        // Its phase is Succeeded where all of its containers ended with 0, and Failed else: the
        // kubelet overwrites the phase that an eviction has.
        await expect.poll(fate).toMatch(/^(?:Failed|Succeeded) TerminationByKubelet,/);
        await expect.poll(east.holder).not.toContain(metadata.name);
        await expect.poll(async () => (await east.serving()).length).toBe(2);
        await node.run('rm', ['/var/lib/kubelet/filler']);
      });
      // A kubelet removes images that no container uses from a full disk.
      await node.importOwnImages();
      await node.importImages(image());
      await kubectl('east', ['wait', 'node', name, '--for=condition=DiskPressure=False', '--timeout=900s']);
      // The kubelet may have evicted it as well.
      await kubectl('east', ['delete', 'pod', `client-${name}`, '--now', '--ignore-not-found']);
      await apply('east', clientOn(name));
      await kubectl('east', ['wait', `pod/client-${name}`, '--for=condition=Ready', '--timeout=900s']);
    },
  );

  it('leaves and uninstalls, and nothing is left but the user’s objects', async () => {
    const services = () => kubectl('east', ['get', 'services', '-A', '-o', 'name']);
    const before = await services();
    expect(before).toContain('service/antrea-mc-cart\n');
    await kubectl('west', ['delete', 'serviceexport', 'cart', '-n', 'shop']);
    await expect.poll(services).not.toContain('antrea-mc');
    await exportCart();
    await allArrive();
    await readme.run(heading, type, runOnClusters.leave);
    expect(await services()).toBe(before.replace('service/antrea-mc-cart\n', ''));
    expect(await kubectl('north', ['get', 'resourceexports,resourceimports', '-A', '-o', 'name'])).not.toContain('/');
    await readme.run(heading, type, runOnClusters.uninstall);
    for (const cluster of ['north', 'east', 'west']) {
      const kinds =
        'deployments,configmaps,secrets,leases,serviceaccounts,roles,rolebindings,clusterroles,clusterrolebindings,crds,pods';
      const names = await kubectl(cluster, ['get', kinds, '-A', '-o', 'name']);
      expect(names.split('\n').filter((name) => /antrea|isthmus|multicluster/.test(name))).toEqual([]);
    }
  });

  whole(
    'is installed, upgraded across a change of its CRDs, rolled back, uninstalled and installed again by Helm, and no call fails and nothing that is imported changes',
    async () => {
      const chart = join(dist, 'charts', `isthmus-${version}.tgz`);
      const tools = installTools(console.log).at(-1);
      const helm = async (cluster: string, namespace: string, ...args: readonly string[]) => {
        const all = ['--kubeconfig', user(cluster).kubeconfig, '-n', namespace, ...args];
        const { code, out } = await run(tools?.helm ?? 'helm', all, { env: { ...process.env, HOME: folder } });
        expect({ args, code, out: code === 0 ? '' : out }).toEqual({ args, code: 0, out: '' });
      };
      const values = (cluster: string) =>
        cluster === 'north'
          ? ['--set', 'role=leader', '--set', 'members={east,west}']
          : ['--set', 'role=member', '--set', 'config.endpointIPType=PodIP', '--set', 'tokenSecrets={leader-token}'];
      /** In all clusters at once; with the Pods that it wants when it ends. */
      const everywhere = (act: (cluster: string, namespace: string) => Promise<void>) =>
        Promise.all(
          controllers.map(async ([cluster, namespace]) => {
            await act(cluster, namespace);
            const status = ['rollout', 'status', `deployment/${controller}`, '-n', namespace, '--timeout=900s'];
            await kubectl(cluster, status);
          }),
        );
      const install = () =>
        everywhere((cluster, namespace) =>
          helm(cluster, namespace, 'install', 'isthmus', chart, '--create-namespace', ...values(cluster)),
        );
      const next = join(folder, 'next');
      cpSync(join(root, 'deploy/charts/isthmus'), next, { recursive: true });
      const definitions = join(next, 'templates/crds.yaml');
      const [before, after] = ['openAPIV3Schema:\n          ', 'openAPIV3Schema:\n          title: next\n          '];
      writeFileSync(definitions, readFileSync(definitions, 'utf8').replaceAll(before, after));
      const titles = async () =>
        new Set(
          await Promise.all(
            controllers.map(([cluster]) =>
              kubectl(cluster, [
                'get',
                'crd',
                'clustersets.multicluster.crd.antrea.io',
                '-o',
                'jsonpath={.spec.versions[0].schema.openAPIV3Schema.title}',
              ]),
            ),
          ),
        );

      await install();
      await copyTokens(user('north'), members());
      await createClusterSets(user('north'), members());
      await membersAreReady(members());
      await exportCart();
      await allArrive();
      await undisturbed('east-1', async () => {
        await everywhere((cluster, namespace) =>
          helm(cluster, namespace, 'upgrade', 'isthmus', next, ...values(cluster), '--set', 'podAnnotations.next=yes'),
        );
        expect(await titles()).toEqual(new Set(['next']));
        await membersAreReady(members());
      });
      await undisturbed('east-1', async () => {
        await everywhere((cluster, namespace) => helm(cluster, namespace, 'rollback', 'isthmus', '1'));
        expect(await titles()).toEqual(new Set(['']));
        await membersAreReady(members());
      });
      await undisturbed('east-1', async () => {
        for (const [cluster, namespace] of controllers)
          await helm(cluster, namespace, 'uninstall', 'isthmus', '--wait');
        for (const [cluster, namespace] of controllers)
          expect(await kubectl(cluster, ['get', 'deployments', '-n', namespace, '-o', 'name'])).toBe('');
        await install();
        // The accounts of the members went with the release of the leader, and are new.
        await copyTokens(user('north'), members());
        await membersAreReady(members());
      });
    },
  );
});
