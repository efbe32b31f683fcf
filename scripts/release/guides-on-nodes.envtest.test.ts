import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Testbed } from '@isthmus/testkit';
import { findBinaries, missingForNodes, startTestbed } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as installation from '../../packages/controlplane/src/scenarios/testing/seed-003.ts';
import * as userGuide from './testing/antrea-user-guide.ts';
import { builtRelease } from './testing/built-release.ts';
import { clientOn, isReady, run, userIn } from './testing/release-on-nodes.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string };
const missing = missingForNodes(process.env);
if (missing.length > 0) console.log(`skipped, as this machine cannot run nodes: ${missing.join('; ')}`);
const isSkipped = missing.length > 0;

/**
 * Antrea's guides, typed by their reader: in a folder with the parts of the checkout that they
 * name, and with the release at an address of its own, in place of Antrea's at GitHub. First the
 * installation document of 1.5, then, after all of it has left, the user guide.
 */
describe.skipIf(isSkipped)('the guides of Antrea, on real Nodes', () => {
  const folder = isSkipped ? '' : mkdtempSync(join(tmpdir(), 'isthmus-guides-on-nodes-'));
  let dist: string;
  let testbed: Testbed | undefined;
  /**
   * The release, as it would be downloaded; the Namespace is to be replaced in that of 1.5, and is
   * the default in later ones.
   */
  const downloads = createServer(({ url = '' }, response) => {
    const [, tag, name = ''] = /^\/([^/]+)\/([\w-]+\.yml)$/.exec(url) ?? [];
    const file = tag === 'v1.5.0' && name.endsWith('-leader-namespaced.yml') ? 'leader-namespaced.yaml' : name;
    response.end(readFileSync(join(dist, 'manifests', file)));
  });
  const release = (tag: string) => `http://127.0.0.1:${(downloads.address() as AddressInfo).port}/${tag}`;

  const user = (name: string) => userIn(testbed, name);
  /** Types a command where the reader's kubectl is set up for a cluster; it must succeed. */
  const type = async (cluster: string, command: string, { input, env }: TypeOptions = {}) => {
    const { code, out } = await run('bash', ['-o', 'pipefail', '-ec', command], {
      ...(input !== undefined && { input }),
      cwd: folder,
      env: {
        PATH: `${dirname(findBinaries(process.env).kubectl)}:${process.env['PATH'] ?? ''}`,
        HOME: folder,
        KUBECONFIG: user(cluster).kubeconfig,
        ...env,
      },
    });
    expect({ command, code, out: code === 0 ? '' : out }).toEqual({ command, code: 0, out: '' });
    return out;
  };
  const applyIn = (cluster: string, input: string) => type(cluster, 'kubectl apply -f -', { input });
  /** Until it prints that; the command may fail. */
  const prints = (cluster: string, command: string, expected: RegExp) =>
    expect.poll(() => type(cluster, `${command} 2>&1 || true`)).toMatch(expected);
  const rollsOut = (cluster: string, namespace: string, name = 'antrea-mc-controller') =>
    type(cluster, `kubectl rollout status deployment/${name} -n ${namespace} --timeout=900s`);
  const connected = (cluster: string) =>
    type(cluster, 'kubectl wait clusterset/test-clusterset -n kube-system --for=condition=Ready --timeout=900s');
  /** As Pods of all clusters reach it. */
  const server = () => {
    const { layout, server: leader } = user('north').cluster;
    return `https://${layout.address}:${new URL(leader.url).port}`;
  };
  const exportsOf = (namespace: string) =>
    new RegExp(`test-cluster-west-${namespace}-nginx-endpoints[^]*test-cluster-west-${namespace}-nginx-service`);
  const nginx = (namespace: string) => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: nginx, namespace: ${namespace} }
spec:
  selector: { matchLabels: { app: nginx } }
  template:
    metadata: { labels: { app: nginx } }
    spec:
      terminationGracePeriodSeconds: 0
      containers:
        - { name: nginx, image: 'localhost/isthmus-agnhost:1', args: [netexec, --http-port=8080, --udp-port=-1] }
---
apiVersion: v1
kind: Service
metadata: { name: nginx, namespace: ${namespace} }
spec: { selector: { app: nginx }, ports: [{ name: http, port: 80, targetPort: 8080 }] }
`;

  beforeAll(async () => {
    // A reader's folder: links, so that the script finds what is beside it.
    for (const part of ['deploy', 'multicluster']) symlinkSync(join(root, part), join(folder, part));
    dist = await builtRelease(folder);
    await new Promise<void>((resolve) => downloads.listen(0, '127.0.0.1', resolve));
    testbed = await startTestbed({
      clusters: { north: { nodes: 1 }, east: { nodes: 1 }, west: { nodes: 1 } },
      routed: true,
    });
  });
  afterAll(async () => {
    await testbed?.[Symbol.asyncDispose]();
    downloads.close();
    rmSync(folder, { recursive: true, force: true });
  });

  describe('the installation document of 1.5', () => {
    const area = 'antrea-mcs-ns';

    it('Prepare Antrea Multi-cluster Image: the archive is copied to each Node, and imported there', async () => {
      cpSync(join(dist, `isthmus-controller-${version}.oci.tar`), join(folder, 'antrea-mcs.tar'));
      for (const { nodes } of Object.values(testbed?.clusters ?? {}))
        for (const node of nodes) {
          const { code, stderr } = await node.ctr('images', 'import', join(folder, 'antrea-mcs.tar'));
          expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
        }
    });

    it('Deployment in the Member Cluster: by the manifest of a release, or by that of a checkout', async () => {
      await type('east', `kubectl apply -f ${release('v1.5.0')}/antrea-multicluster-member.yml`);
      for (const cluster of ['west', 'north'])
        await type(cluster, 'kubectl apply -f multicluster/build/yamls/antrea-multicluster-member.yml');
      for (const cluster of ['east', 'west', 'north']) await rollsOut(cluster, 'kube-system');
    });

    it('Deploy Leader and Member in one Cluster: the leader after the member, without the CRDs', async () => {
      await type('north', `kubectl create ns ${area}`);
      await type(
        'north',
        `curl -L ${release('v1.5.0')}/antrea-multicluster-leader-namespaced.yml >   antrea-multicluster-leader-namespaced.yml
         sed 's/changeme/${area}/g' antrea-multicluster-leader-namespaced.yml | kubectl apply -f -`,
      );
      await rollsOut('north', area);
      // The same from a checkout.
      await type('north', `multicluster/hack/generate-manifest.sh -l ${area} | kubectl apply -f -`);
      await rollsOut('north', area);
    });

    it('Setting up Access to Leader Cluster: the token is copied by grep and sed', async () => {
      for (const name of ['east', 'west', 'north']) {
        await applyIn('north', installation.accessOf(name));
        await prints('north', installation.copyToken(name), /^ {2}token: /m);
        await applyIn(name, await type('north', installation.copyToken(name)));
      }
    });

    it('Setting up ClusterSet: ClusterClaims and ClusterSets of v1alpha1 connect three members, one of them the cluster of the leader', async () => {
      for (const name of ['east', 'west']) await applyIn(name, installation.memberOf(name, server()));
      await applyIn('north', installation.leader);
      await applyIn('north', installation.memberOf('north', server()));
      await applyIn('north', installation.leaderWithItself);
      for (const name of ['east', 'west', 'north']) await connected(name);
    });

    it('Export and Import Service: the others get Service and ServiceImport, and the leader lists the exports', async () => {
      await applyIn('west', nginx('kube-system'));
      await rollsOut('west', 'kube-system', 'nginx');
      await applyIn('west', installation.serviceExport);
      await prints('north', `kubectl get resourceexport -n ${area}`, exportsOf('kube-system'));
      await prints('north', `kubectl get resourceimport -n ${area}`, /kube-system-nginx-service/);
      for (const cluster of ['east', 'north']) {
        await prints(cluster, 'kubectl get service antrea-mc-nginx -n kube-system', /ClusterIP/);
        await prints(cluster, 'kubectl get serviceimport nginx -n kube-system', /ClusterSetIP/);
      }
    });

    it('Known Issue: all ResourceExports are deleted, until none is left; the leader is deleted and created again, and lists them again', async () => {
      // While members run they write their exports again.
      for (const cluster of ['east', 'west', 'north'])
        await type(cluster, 'kubectl scale deployment antrea-mc-controller -n kube-system --replicas=0');
      await expect
        .poll(() => Promise.all(['east', 'west'].map(async (name) => (await user(name).pods('kube-system')).length)))
        .toEqual([0, 0]);
      await type('north', userGuide.deleteAllExports);
      await prints('north', 'kubectl get resourceexport -A', /^No resources found/);
      await type(
        'north',
        `multicluster/hack/generate-manifest.sh -l ${area} > leader.yml; kubectl delete -f leader.yml`,
      );
      await type('north', 'kubectl create -f leader.yml');
      await rollsOut('north', area);
      for (const cluster of ['east', 'west', 'north'])
        await type(cluster, 'kubectl scale deployment antrea-mc-controller -n kube-system --replicas=2');
      await prints('north', `kubectl get resourceexport -n ${area}`, exportsOf('kube-system'));
      await prints('east', 'kubectl get serviceimport nginx -n kube-system', /ClusterSetIP/);
    });
  });

  describe('the user guide', () => {
    const TAG = 'v1.8.0';
    const fromRelease = (file: string) => `kubectl apply -f ${release('$TAG')}/antrea-multicluster-${file}.yml`;
    const env = { TAG };

    beforeAll(async () => {
      for (const cluster of ['east', 'west', 'north'])
        await type(cluster, 'kubectl delete clusterset test-clusterset -n kube-system --timeout=900s');
      await type('north', 'kubectl delete clusterset test-clusterset -n antrea-mcs-ns --timeout=900s');
      await type('west', 'kubectl delete serviceexport nginx -n kube-system');
      await type('north', 'kubectl delete -f leader.yml; kubectl delete ns antrea-mcs-ns');
      for (const cluster of ['east', 'west', 'north'])
        await type(cluster, 'kubectl delete clusterclaims --all -n kube-system');
    });

    it('Deploy Antrea Multi-cluster Controller: CRDs, leader, members, and both in one cluster', async () => {
      await type('north', fromRelease('leader-global'), { env });
      await type('north', `kubectl create ns antrea-multicluster; ${fromRelease('leader-namespaced')}`, { env });
      for (const cluster of ['north', 'east', 'west']) await type(cluster, fromRelease('member'), { env });
      await rollsOut('north', 'antrea-multicluster');
      for (const cluster of ['north', 'east', 'west']) await rollsOut(cluster, 'kube-system');
    });

    it('Deploy in a Dedicated Leader Cluster: another Namespace, by sed', async () => {
      const file = 'antrea-multicluster-leader-namespaced.yml';
      await type(
        'north',
        `kubectl create ns 'desired-namespace'
         curl -L ${release('$TAG')}/${file} > ${file}
         sed 's/antrea-multicluster/desired-namespace/g' ${file} | kubectl apply -f -`,
        { env },
      );
      await rollsOut('north', 'desired-namespace');
      await type('north', 'kubectl delete ns desired-namespace');
    });

    it('Create ClusterSet: access, ClusterClaims and ClusterSets connect the members, one of them the cluster of the leader', async () => {
      for (const name of ['east', 'west', 'north']) {
        await applyIn('north', userGuide.accessOf(name));
        await prints('north', `${userGuide.copyToken(name)}; cat member-${name}-token.yml`, /^ {2}token: /m);
        const kubeconfig = user(name).kubeconfig;
        await type('north', `kubectl apply -f member-${name}-token.yml --kubeconfig=${kubeconfig}`);
      }
      await applyIn('north', userGuide.leader);
      for (const name of ['east', 'west', 'north']) await applyIn(name, userGuide.memberOf(name, server()));
      for (const name of ['east', 'west', 'north']) await connected(name);
    });

    it('Multi-cluster Gateway Configuration: an annotated Node becomes a Gateway, which the other members list', async () => {
      for (const name of ['east', 'west']) {
        await type(name, `kubectl annotate node ${name}-1 multicluster.antrea.io/gateway=true`);
        await prints(name, 'kubectl get gateway -n kube-system', new RegExp(`${name}-1 `));
      }
      await prints(
        'west',
        'kubectl get clusterinfoimport -n kube-system',
        /test-cluster-east-clusterinfo +test-cluster-east/,
      );
    });

    it('Multi-cluster Service: with Pod IPs as endpoints, a Pod in east calls nginx in west by the imported Service', async () => {
      for (const name of ['east', 'west', 'north'])
        await type(name, 'kubectl edit configmap -n kube-system antrea-mc-controller-config', {
          env: { KUBE_EDITOR: "sed -i 's/endpointIPType: ClusterIP/endpointIPType: PodIP/'" },
        });
      await applyIn('west', nginx('default'));
      await rollsOut('west', 'default', 'nginx');
      await applyIn('west', userGuide.serviceExport);
      await prints('east', 'kubectl get service antrea-mc-nginx -n default', /ClusterIP/);
      await prints('east', 'kubectl get serviceimport nginx -n default', /ClusterSetIP/);
      await prints('north', 'kubectl get resourceexport -n antrea-multicluster', exportsOf('default'));
      await prints(
        'north',
        'kubectl get resourceimport -n antrea-multicluster',
        /default-nginx-endpoints[^]*default-nginx-service/,
      );
      await user('east').apply(clientOn('east-1'));
      await type('east', 'kubectl wait pod/client-east-1 --for=condition=Ready --timeout=900s');
      const address = await type('east', "kubectl get service antrea-mc-nginx -o jsonpath='{.spec.clusterIP}'");
      const ip = await type('east', "kubectl get pod client-east-1 -o jsonpath='{.status.podIP}'");
      const dial = `http://${ip}:8080/dial?host=${address}&port=80&protocol=http&request=hostname&tries=1`;
      const ask = `fetch(${JSON.stringify(dial)}).then((r) => r.text()).then(console.log)`;
      const answers = async () => (await user('east').node('east-1').run(process.execPath, ['-e', ask])).stdout;
      await expect.poll(answers).toMatch(/"responses":\["nginx-/);
    });

    it('all controllers are Ready, and have not restarted', async () => {
      const pods = [
        ...(await user('north').pods('antrea-multicluster')),
        ...(await Promise.all(['north', 'east', 'west'].map((name) => user(name).pods('kube-system')))).flat(),
      ];
      expect(pods.filter(isReady)).toHaveLength(8);
      expect(pods.flatMap(({ status }) => status.containerStatuses?.map(({ restartCount }) => restartCount))).toEqual(
        pods.map(() => 0),
      );
    });
  });
});

interface TypeOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}
