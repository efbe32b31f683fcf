import { describe, expect, it } from 'vitest';
import { addHelmRelease } from './cluster-facts.ts';
import { componentsOf, knownWorkloads, perNodeWorkloads } from './read-components.ts';
import { factsOf, pod, workload } from './testing/live-objects.ts';

/**
 * The components with their versions, each as `id version` or `id version@node`; without those that
 * every cluster has.
 */
function found(facts: ReturnType<typeof factsOf>): readonly string[] {
  return componentsOf(facts)
    .filter(({ id }) => !['kube-apiserver', 'kubelet'].includes(id))
    .flatMap(({ id, live }) => live.map(({ version, node, name }) => `${id} ${version}${at(node ?? name)}`));
}
const at = (place: string | undefined) => (place === undefined ? '' : `@${place}`);
const flux = (version: string) => ({
  labels: { 'app.kubernetes.io/part-of': 'flux', 'app.kubernetes.io/version': version },
});
const capi = (provider: string) => ({ labels: { 'cluster.x-k8s.io/provider': provider } });

describe('a component', () => {
  it.each<[string, Parameters<typeof workload>, string]>([
    [
      'Antrea controller',
      ['antrea-controller', ['antrea-controller=antrea/antrea-controller-ubuntu:v2.7.0']],
      'antrea-controller v2.7.0',
    ],
    [
      'a mirrored Antrea',
      ['x', ['antrea-controller=r.local:5000/m/antrea-ubuntu:v1.13.1']],
      'antrea-controller v1.13.1',
    ],
    [
      'Antrea Multi-cluster leader',
      [
        'antrea-mc-controller',
        ['c=antrea/antrea-mc-controller:v2.6.0'],
        { command: ['/antrea-mc-controller', 'leader'] },
      ],
      'mc-leader v2.6.0',
    ],
    [
      'Antrea Multi-cluster member',
      [
        'antrea-mc-controller',
        ['c=antrea/antrea-mc-controller:v2.6.0'],
        { command: ['/antrea-mc-controller', 'member'] },
      ],
      'mc-member v2.6.0',
    ],
    [
      'Isthmus leader',
      [
        'antrea-mc-controller',
        ['c=ghcr.io/isthmus/controller:0.2.0'],
        { command: ['isthmus', 'controller', 'leader'] },
      ],
      'isthmus-leader 0.2.0',
    ],
    [
      'Isthmus member',
      ['antrea-mc-controller', ['c=isthmus/controller:0.2.0'], { command: ['isthmus', 'controller', 'member'] }],
      'isthmus-member 0.2.0',
    ],
    [
      'Cilium operator',
      ['cilium-operator', ['cilium-operator=r/eks/cilium/operator-generic:v1.17.8-0']],
      'cilium v1.17.8-0',
    ],
    [
      'cert-manager',
      ['cert-manager', ['cert-manager-controller=quay.io/jetstack/cert-manager-controller:v1.18.2']],
      'cert-manager v1.18.2',
    ],
    ['Flux', ['source-controller', ['manager=ghcr.io/fluxcd/source-controller:v1.5.0'], flux('v2.5.1')], 'flux v2.5.1'],
    [
      'Cluster API',
      ['capi-controller-manager', ['manager=r/cluster-api-controller:v1.9.6-eks-a-92'], capi('cluster-api')],
      'capi-core v1.9.6',
    ],
    ['kubeadm bootstrap', ['b', ['manager=r/b:v1.9.6'], capi('bootstrap-kubeadm')], 'capi-kubeadm-bootstrap v1.9.6'],
    [
      'kubeadm control plane',
      ['b', ['manager=r/b:v1.9.6'], capi('control-plane-kubeadm')],
      'capi-kubeadm-control-plane v1.9.6',
    ],
    [
      'the vSphere provider',
      ['capv', ['manager=r/capv:v1.12.0'], capi('infrastructure-vsphere')],
      'capi-infra-vsphere v1.12.0',
    ],
    [
      'an infrastructure provider that only its label names',
      ['capo', ['manager=r/capo:v0.12.4'], capi('infrastructure-openstack')],
      'capi-infra-openstack v0.12.4',
    ],
    ['etcdadm bootstrap', ['e', ['m=r/etcdadm-bootstrap-provider:v1.0.15']], 'etcdadm-bootstrap v1.0.15'],
    ['etcdadm controller', ['e', ['m=r/etcdadm-controller:v1.0.25']], 'etcdadm-controller v1.0.25'],
    ['EKS Anywhere', ['eksa', ['m=r/eks-anywhere-cluster-controller:v0.22.3-eks-a-92']], 'eksa v0.22.3'],
    [
      'a tag without version, by the label',
      [
        'antrea-controller',
        ['antrea-controller=antrea/a:latest'],
        { labels: { 'app.kubernetes.io/version': '2.7.0' } },
      ],
      'antrea-controller 2.7.0',
    ],
    [
      'a tag without version, and nothing else',
      ['antrea-controller', ['antrea-controller=antrea/a:latest']],
      'antrea-controller ',
    ],
    [
      'Flux without its label',
      [
        'source-controller',
        ['manager=ghcr.io/fluxcd/source-controller:v1.5.0'],
        { labels: { 'app.kubernetes.io/part-of': 'flux' } },
      ],
      'flux ',
    ],
  ])('is recognised, and its version read: %s', (_title, args, expected) => {
    expect(found(factsOf({ deployments: [workload(...args)] }))).toEqual([expected]);
  });

  it('is named with its Namespace where it is installed twice', () => {
    const leader = (namespace: string, version: string) =>
      workload('antrea-mc-controller', [`c=antrea/antrea-mc-controller:${version}`], {
        namespace,
        command: ['leader'],
      });
    expect(found(factsOf({ deployments: [leader('a', 'v2.6.3'), leader('b', 'v2.7.0')] }))).toEqual([
      'mc-leader v2.6.3@a/antrea-mc-controller',
      'mc-leader v2.7.0@b/antrea-mc-controller',
    ]);
    const same = componentsOf(factsOf({ deployments: [leader('a', 'v2.7.0'), leader('b', 'v2.7.0')] }));
    expect(same.find(({ id }) => id === 'mc-leader')?.live.map(({ namespace }) => namespace)).toEqual(['a', 'b']);
  });

  describe('that is installed twice in one Namespace, under other names,', () => {
    const release = (name: string, version: string, ready = true) =>
      [name, `${name}-webhook`].map((workloadName, at) =>
        workload(workloadName, [`c=quay.io/jetstack/cert-manager-${at === 0 ? 'controller' : 'webhook'}:${version}`], {
          namespace: 'certs',
          annotations: { 'meta.helm.sh/release-name': name, 'meta.helm.sh/release-namespace': 'certs' },
          ready,
        }),
      );
    const live = (...deployments: readonly ReturnType<typeof workload>[]) =>
      componentsOf(factsOf({ deployments })).find(({ id }) => id === 'cert-manager')?.live;

    it('has an instance for each workload, so that the state of one is not that of the other', () => {
      expect(live(...release('first', 'v1.18.2'), ...release('second', 'v1.18.2', false))).toMatchObject([
        { name: 'first', workloads: ['first'], ready: true },
        { name: 'first-webhook', workloads: ['first-webhook'], ready: true },
        { name: 'second', workloads: ['second'], ready: false },
        { name: 'second-webhook', workloads: ['second-webhook'], ready: false },
      ]);
    });

    it('has the names of all workloads where nothing distinguishes the two', () => {
      const plain = (name: string) =>
        workload(name, ['c=quay.io/jetstack/cert-manager-controller:v1.18.2'], { namespace: 'certs' });
      expect(live(plain('second'), plain('first'))).toMatchObject([{ workloads: ['first', 'second'] }]);
    });
  });

  it.each<[string, Parameters<typeof workload>]>([
    ['a container of the same name', ['antrea-controller', ['antrea-controller=example.com/shop:v1.0.0']]],
    ['a manager without the label', ['manager', ['manager=r/cluster-api-controller:v1.9.6']]],
    ['a controller of another command', ['c', ['c=isthmus/controller:0.2.0'], { command: ['isthmus', 'sandbox'] }]],
    ['an image whose name only ends alike', ['c', ['c=r/my-etcdadm-controller:v1.0.0']]],
  ])('is not %s', (_title, args) => {
    expect(found(factsOf({ deployments: [workload(...args)] }))).toEqual([]);
  });
});

describe('several Pods and workloads of a component', () => {
  const agents = workload('antrea-agent', [
    'antrea-agent=antrea/antrea-agent-ubuntu:v2.7.0',
    'antrea-ovs=antrea/antrea-agent-ubuntu:v2.7.0',
  ]);

  it('have the version of each Node, in the midst of a rollout too', () => {
    const pods = [
      pod('antrea-agent', 'n1', [
        'antrea-agent=antrea/antrea-agent-ubuntu:v2.7.0',
        'antrea-ovs=antrea/antrea-agent-ubuntu:v2.7.0',
      ]),
      pod('antrea-agent', 'n2', ['antrea-agent=antrea/antrea-agent-ubuntu:v2.6.1']),
      pod('other', 'n3', ['antrea-agent=antrea/antrea-agent-ubuntu:v1.0.0']),
    ];
    const facts = factsOf({ daemonSets: [agents], pods });
    expect(perNodeWorkloads(facts).map(({ name }) => name)).toEqual(['antrea-agent']);
    expect(found(facts)).toEqual(['antrea-agent v2.7.0@n1', 'antrea-agent v2.6.1@n2']);
  });

  it('have that of the template where no Pod runs', () => {
    expect(found(factsOf({ daemonSets: [agents] }))).toEqual(['antrea-agent v2.7.0']);
  });

  it('are one entry where the version is the same, and named where it is not', () => {
    const of = (name: string, version: string, ready = true) =>
      workload(name, [`c=quay.io/jetstack/${name}:${version}`], { ready });
    const same = factsOf({
      deployments: [of('cert-manager-controller', 'v1.18.2'), of('cert-manager-webhook', 'v1.18.2', false)],
    });
    expect(componentsOf(same).find(({ id }) => id === 'cert-manager')?.live).toEqual([
      {
        version: 'v1.18.2',
        namespace: 'kube-system',
        workloads: ['cert-manager-controller', 'cert-manager-webhook'],
        digests: {},
        ready: false,
      },
    ]);
    const mixed = factsOf({
      deployments: [of('cert-manager-controller', 'v1.18.2'), of('cert-manager-webhook', 'v1.17.0')],
    });
    expect(found(mixed)).toEqual([
      'cert-manager v1.18.2@cert-manager-controller',
      'cert-manager v1.17.0@cert-manager-webhook',
    ]);
  });

  it('that Antrea reports itself count where the tag is not a version', () => {
    const info = (version: string, node: string) => ({
      metadata: { name: node },
      version,
      nodeRef: { kind: 'Node', name: node },
    });
    const facts = factsOf({
      daemonSets: [agents],
      pods: ['n1', 'n2', 'n3'].map((node) =>
        pod('antrea-agent', node, ['antrea-agent=antrea/antrea-agent-ubuntu:latest']),
      ),
      antreaAgents: [info('v2.7.0', 'n1'), info('v2.6.0-abcdef', 'n2')],
    });
    expect(found(facts)).toEqual(['antrea-agent v2.7.0@n1', 'antrea-agent v2.6.0@n2', 'antrea-agent @n3']);
  });

  it('keep a digest only where the image is pinned by it', () => {
    const digest = `sha256:${'b'.repeat(64)}`;
    const facts = factsOf({
      deployments: [workload('c', [`c=quay.io/jetstack/cert-manager-controller:v1.18.2@${digest}`])],
    });
    expect(componentsOf(facts).find(({ id }) => id === 'cert-manager')?.live[0]?.digests).toEqual({ image: digest });
  });
});

describe('Kubernetes', () => {
  it('has the version of each Node and of each Pod of the control plane', () => {
    const node = (name: string, kubeletVersion: string, status: string) => ({
      metadata: { name },
      status: { nodeInfo: { kubeletVersion }, conditions: [{ type: 'Ready', status }] },
    });
    const api = (on: string, tag: string) =>
      pod('k', on, [`kube-apiserver=registry.k8s.io/kube-apiserver:${tag}`], { component: 'kube-apiserver' });
    const facts = factsOf({
      nodes: [node('n1', 'v1.35.2', 'True'), node('n2', 'v1.34.9-EKS-abc', 'False')],
      controlPlane: [api('n1', 'v1.36.1'), api('n2', 'v1.35.2')],
    });
    expect(
      componentsOf(facts).map(({ id, live }) => [
        id,
        live.map(({ version, node, name, ready }) => [version, node ?? name, ready]),
      ]),
    ).toEqual([
      [
        'kube-apiserver',
        [
          ['v1.36.1', 'n1', true],
          ['v1.35.2', 'n2', true],
        ],
      ],
      [
        'kubelet',
        [
          ['v1.35.2', 'n1', true],
          ['v1.34.9-eks-abc', 'n2', false],
        ],
      ],
    ]);
  });

  it('has that of the API server that answered, where a provider runs the control plane', () => {
    expect(componentsOf(factsOf({}))).toMatchObject([{ id: 'kube-apiserver', live: [{ version: 'v1.36.1' }] }]);
  });
});

describe('the recorded version', () => {
  const recorded = (facts: ReturnType<typeof factsOf>) =>
    componentsOf(facts).flatMap(({ id, recorded: one }) => (one === undefined ? [] : [[id, one.version, one.by]]));

  it('is that of the inventory of clusterctl, of EKS Anywhere, and of clusterctl for cert-manager', () => {
    const facts = factsOf({
      providers: [
        { metadata: { name: 'cluster-api' }, type: 'CoreProvider', providerName: 'cluster-api', version: 'v1.9.6' },
        {
          metadata: { name: 'infrastructure-vsphere' },
          type: 'InfrastructureProvider',
          providerName: 'vsphere',
          version: 'v1.12.0',
        },
        {
          metadata: { name: 'infrastructure-metal3' },
          type: 'InfrastructureProvider',
          providerName: 'metal3',
          version: 'v1.10.1',
        },
        { metadata: { name: 'x' }, type: 'IPAMProvider', providerName: 'x', version: 'v1.0.0' },
      ],
      eksaClusters: [
        { metadata: { name: 'mgmt' }, spec: { eksaVersion: 'v0.22.4', managementCluster: { name: 'mgmt' } } },
        { metadata: { name: 'line-1' }, spec: { eksaVersion: 'v0.21.0', managementCluster: { name: 'mgmt' } } },
      ],
      deployments: [
        workload('cert-manager', ['c=quay.io/jetstack/cert-manager-controller:v1.18.2'], {
          annotations: { 'cert-manager.clusterctl.cluster.x-k8s.io/version': 'v1.18.1' },
        }),
      ],
    });
    expect(recorded(facts)).toEqual([
      ['capi-core', 'v1.9.6', 'Provider inventory'],
      ['capi-infra-metal3', 'v1.10.1', 'Provider inventory'],
      ['capi-infra-vsphere', 'v1.12.0', 'Provider inventory'],
      ['cert-manager', 'v1.18.1', 'annotation of clusterctl'],
      ['eksa', 'v0.22.4', 'spec.eksaVersion of the Cluster'],
    ]);
  });

  it('is that of the Helm release, of which nothing but the chart is kept', () => {
    const facts = factsOf({
      deployments: [
        workload('antrea-controller', ['antrea-controller=antrea/a:latest'], {
          annotations: { 'meta.helm.sh/release-name': 'antrea', 'meta.helm.sh/release-namespace': 'kube-system' },
        }),
      ],
    });
    addHelmRelease(facts, {
      name: 'antrea',
      namespace: 'kube-system',
      chart: { metadata: { name: 'antrea', version: '2.7.0', appVersion: 'v2.7.0' }, values: { key: 's3cr3t' } },
      config: { password: 's3cr3t' },
      manifest: 's3cr3t',
    });
    expect(recorded(facts)).toEqual([['antrea-controller', 'v2.7.0', 'Helm release antrea']]);
    expect(found(facts)).toEqual(['antrea-controller v2.7.0']);
    expect(JSON.stringify(facts)).not.toContain('s3cr3t');
  });

  it('is not recorded where two Helm releases of the component record different versions', () => {
    const facts = factsOf({
      deployments: ['first', 'second'].map((name) =>
        workload(name, ['c=quay.io/jetstack/cert-manager-controller:latest'], {
          namespace: 'certs',
          annotations: { 'meta.helm.sh/release-name': name, 'meta.helm.sh/release-namespace': 'certs' },
        }),
      ),
    });
    for (const [name, appVersion] of Object.entries({ first: 'v1.18.2', second: 'v1.17.0' }))
      addHelmRelease(facts, { name, namespace: 'certs', chart: { metadata: { name: 'cert-manager', appVersion } } });
    expect(recorded(facts)).toEqual([]);
    expect(found(facts)).toEqual(['cert-manager v1.18.2@first', 'cert-manager v1.17.0@second']);
  });
});

it('an owner who skips upgrades of Cilium is reported', () => {
  const facts = factsOf({
    deployments: [workload('cilium-operator', ['cilium-operator=r/operator:v1.17.8-0'])],
    eksaClusters: [
      { metadata: { name: 'mgmt' }, spec: { clusterNetwork: { cniConfig: { cilium: { skipUpgrade: true } } } } },
    ],
  });
  expect(componentsOf(facts).find(({ id }) => id === 'cilium')?.skip).toBe('skipUpgrade of its EKS Anywhere cluster');
});

it('of a workload nothing of its environment is kept', () => {
  const facts = factsOf({
    deployments: [workload('c', ['c=r/cert-manager-webhook:v1.0.0']), workload('shop', ['c=shop:v1.0.0'])],
  });
  expect(knownWorkloads(facts).map(({ kept }) => kept)).toEqual([
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'c', namespace: 'kube-system' },
      spec: { selector: { matchLabels: { app: 'c' } } },
    },
  ]);
  expect(JSON.stringify(facts)).not.toContain('s3cr3t');
});
