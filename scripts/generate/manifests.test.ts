import type { PodSpec, PolicyRule, ValidatingAdmissionPolicy } from '@isthmus/api';
import { multiClusterConfig } from '@isthmus/api';
import { controllerConfigText } from '@isthmus/install';
import { parseYaml } from '@isthmus/machinery';
import type { KubernetesObject } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import {
  agentPoliciesAccess,
  agentWhole,
  leaderNamespaced,
  leaderWhole,
  manifests,
  memberWhole,
  wireGuardWhole,
} from './manifests.ts';

const version = '0.1.0';
const files = manifests(version);
const objectsOf = (text: string) =>
  parseYaml(text, { source: 'manifest' }).map(({ value }) => value as KubernetesObject);
const parsed = new Map(Object.entries(files).map(([path, text]) => [path, objectsOf(text)]));
const objectsIn = (file: string) => parsed.get(`deploy/${file}.yaml`) ?? [];
const title = ({ kind, metadata }: KubernetesObject) =>
  metadata.namespace === undefined ? `${kind} ${metadata.name}` : `${kind} ${metadata.namespace}/${metadata.name}`;
/** The Pod of the last object of a file. */
const podOf = (file: string) =>
  (objectsIn(file).at(-1) as unknown as { readonly spec: { readonly template: { readonly spec: PodSpec } } }).spec
    .template.spec;
const isDefinition = ({ kind }: KubernetesObject) => kind === 'CustomResourceDefinition';

describe('the manifests', () => {
  it('hold, for a leader Namespace, nothing cluster-scoped but admission policies, the right to read them and the priority level of members, which are named after it', () => {
    expect(objectsIn('leader-namespaced').map(title)).toEqual([
      'ServiceAccount changeme/antrea-mc-controller',
      'Role changeme/antrea-mc-controller-role',
      'RoleBinding changeme/antrea-mc-controller-rolebinding',
      'Role changeme/antrea-mc-member-cluster-role',
      'ValidatingAdmissionPolicy changeme-isthmus-policy-exports',
      'ValidatingAdmissionPolicyBinding changeme-isthmus-policy-exports',
      'ValidatingAdmissionPolicy changeme-isthmus-own-exports',
      'ValidatingAdmissionPolicyBinding changeme-isthmus-own-exports',
      'ValidatingAdmissionPolicy changeme-isthmus-export-names',
      'ValidatingAdmissionPolicyBinding changeme-isthmus-export-names',
      'ValidatingAdmissionPolicy changeme-isthmus-cluster-id-pairs',
      'ValidatingAdmissionPolicyBinding changeme-isthmus-cluster-id-pairs',
      'ValidatingAdmissionPolicy changeme-isthmus-own-announcement',
      'ValidatingAdmissionPolicyBinding changeme-isthmus-own-announcement',
      'ValidatingAdmissionPolicy changeme-isthmus-bound-clusters',
      'ValidatingAdmissionPolicyBinding changeme-isthmus-bound-clusters',
      'ValidatingAdmissionPolicy changeme-isthmus-announced-leader',
      'ValidatingAdmissionPolicyBinding changeme-isthmus-announced-leader',
      'ValidatingAdmissionPolicy changeme-isthmus-announced-by',
      'ValidatingAdmissionPolicyBinding changeme-isthmus-announced-by',
      'ValidatingAdmissionPolicy changeme-isthmus-account-bindings',
      'ValidatingAdmissionPolicyBinding changeme-isthmus-account-bindings',
      'ValidatingAdmissionPolicy changeme-isthmus-members-elsewhere',
      'ValidatingAdmissionPolicyBinding changeme-isthmus-members-elsewhere',
      'ValidatingAdmissionPolicy changeme-isthmus-member-metadata',
      'ValidatingAdmissionPolicyBinding changeme-isthmus-member-metadata',
      'ValidatingAdmissionPolicy changeme-isthmus-member-sizes',
      'ValidatingAdmissionPolicyBinding changeme-isthmus-member-sizes',
      'ValidatingAdmissionPolicy changeme-isthmus-member-events',
      'ValidatingAdmissionPolicyBinding changeme-isthmus-member-events',
      'ValidatingAdmissionPolicy changeme-isthmus-member-tokens',
      'ValidatingAdmissionPolicyBinding changeme-isthmus-member-tokens',
      'ValidatingAdmissionPolicy changeme-isthmus-suspended-members',
      'ValidatingAdmissionPolicyBinding changeme-isthmus-suspended-members',
      'ValidatingAdmissionPolicy changeme-isthmus-one-cluster-set',
      'ValidatingAdmissionPolicyBinding changeme-isthmus-one-cluster-set',
      'ValidatingAdmissionPolicy changeme-isthmus-leader-ids',
      'ValidatingAdmissionPolicyBinding changeme-isthmus-leader-ids',
      'ValidatingAdmissionPolicy changeme-isthmus-leader-in-use',
      'ValidatingAdmissionPolicyBinding changeme-isthmus-leader-in-use',
      'ValidatingAdmissionPolicy changeme-isthmus-known-clusters',
      'ValidatingAdmissionPolicyBinding changeme-isthmus-known-clusters',
      'ValidatingAdmissionPolicy changeme-isthmus-cluster-claims',
      'ValidatingAdmissionPolicyBinding changeme-isthmus-cluster-claims',
      'ValidatingAdmissionPolicy changeme-isthmus-claims-in-use',
      'ValidatingAdmissionPolicyBinding changeme-isthmus-claims-in-use',
      'ClusterRole changeme-isthmus-read-admission',
      'ClusterRoleBinding changeme-isthmus-read-admission',
      'PriorityLevelConfiguration changeme-isthmus-members',
      'FlowSchema changeme-isthmus-controller',
      'FlowSchema changeme-isthmus-members',
      'ConfigMap changeme/antrea-mc-controller-config',
      'PodDisruptionBudget changeme/antrea-mc-controller',
      'NetworkPolicy changeme/antrea-mc-controller',
      'Deployment changeme/antrea-mc-controller',
    ]);
  });

  it('put the two parts of a leader into one file', () => {
    const namespaced = objectsOf(leaderNamespaced({ namespace: 'antrea-multicluster', version }));
    expect(objectsIn('leader')).toEqual([...objectsIn('leader-global'), ...namespaced]);
    expect(objectsIn('leader-global').every(isDefinition)).toBe(true);
  });

  it('bring what a member needs, CustomResourceDefinitions first', () => {
    expect(
      objectsIn('member')
        .filter((object) => !isDefinition(object))
        .map(title),
    ).toEqual([
      'ServiceAccount kube-system/antrea-mc-controller',
      'ClusterRole antrea-mc-controller-role',
      'ClusterRoleBinding antrea-mc-controller-rolebinding',
      'Role kube-system/antrea-mc-controller-role',
      'RoleBinding kube-system/antrea-mc-controller-rolebinding',
      'ValidatingAdmissionPolicy kube-system-isthmus-one-cluster-set',
      'ValidatingAdmissionPolicyBinding kube-system-isthmus-one-cluster-set',
      'ValidatingAdmissionPolicy kube-system-isthmus-member-ids',
      'ValidatingAdmissionPolicyBinding kube-system-isthmus-member-ids',
      'ValidatingAdmissionPolicy kube-system-isthmus-gateways',
      'ValidatingAdmissionPolicyBinding kube-system-isthmus-gateways',
      'ValidatingAdmissionPolicy kube-system-isthmus-known-clusters',
      'ValidatingAdmissionPolicyBinding kube-system-isthmus-known-clusters',
      'ValidatingAdmissionPolicy kube-system-isthmus-own-objects',
      'ValidatingAdmissionPolicyBinding kube-system-isthmus-own-objects',
      'ValidatingAdmissionPolicy kube-system-isthmus-cluster-claims',
      'ValidatingAdmissionPolicyBinding kube-system-isthmus-cluster-claims',
      'ValidatingAdmissionPolicy kube-system-isthmus-claims-in-use',
      'ValidatingAdmissionPolicyBinding kube-system-isthmus-claims-in-use',
      'ClusterRole kube-system-isthmus-read-admission',
      'ClusterRoleBinding kube-system-isthmus-read-admission',
      'ConfigMap kube-system/antrea-mc-controller-config',
      'PodDisruptionBudget kube-system/antrea-mc-controller',
      'NetworkPolicy kube-system/antrea-mc-controller',
      'Deployment kube-system/antrea-mc-controller',
    ]);
    expect(objectsIn('member').findLastIndex(isDefinition)).toBe(10);
  });

  it('bring for the agents of a member what they may do, which is to read, and to write the Lease of their Node, and one on every Node', () => {
    expect(objectsIn('agent').map(title)).toEqual([
      'ServiceAccount kube-system/isthmus-agent',
      'ClusterRole isthmus-agent',
      'ClusterRoleBinding isthmus-agent',
      'Role kube-system/isthmus-agent',
      'RoleBinding kube-system/isthmus-agent',
      'ValidatingAdmissionPolicy kube-system-isthmus-agent-leases',
      'ValidatingAdmissionPolicyBinding kube-system-isthmus-agent-leases',
      'DaemonSet kube-system/isthmus-agent',
    ]);
    const rules = objectsIn('agent').flatMap((one) => ('rules' in one ? (one.rules as readonly PolicyRule[]) : []));
    const written = rules.filter(({ verbs }) => verbs.some((verb) => !['get', 'list', 'watch'].includes(verb)));
    expect(written).toEqual([
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create', 'patch'] },
    ]);
  });

  it('let agents read Pods, Namespaces, labels and policies only with a manifest of its own, whose change turns them on', () => {
    const read = (file: string) =>
      objectsIn(file).flatMap((one) =>
        'rules' in one ? (one.rules as readonly PolicyRule[]).flatMap(({ resources }) => resources ?? []) : [],
      );
    expect(objectsIn('agent-policies').map(title)).toEqual([
      'ClusterRole isthmus-agent-policies',
      'ClusterRoleBinding isthmus-agent-policies',
    ]);
    expect(read('agent-policies')).toEqual([
      'namespaces',
      'pods',
      'customresourcedefinitions',
      'clusternetworkpolicies',
      'networkpolicies',
      'tiers',
      'labelidentities',
    ]);
    expect(read('agent').filter((resource) => read('agent-policies').includes(resource))).toEqual([]);
    const [, from = '', to = ''] =
      /sed 's\/(--enable\S+)\/(\S+)\/' agent\.yaml/.exec(files['deploy/agent-policies.yaml'] ?? '') ?? [];
    const args = podOf('agent').containers[0]?.args ?? [];
    expect(args.filter((one) => one === from)).toHaveLength(1);
    expect([from, to]).toEqual(['--enable-stretched-network-policy=false', '--enable-stretched-network-policy=true']);
  });

  it('run the agent in the network of the Node with the right to change it, no other right, and nothing that removes it', () => {
    expect(objectsIn('agent').at(-1)).toMatchObject({
      spec: {
        updateStrategy: { rollingUpdate: { maxUnavailable: 1 } },
        template: {
          spec: {
            hostNetwork: true,
            priorityClassName: 'system-node-critical',
            tolerations: [{ operator: 'Exists' }],
            containers: [
              {
                image: 'isthmus/agent:0.1.0',
                command: ['isthmus', 'agent', 'run'],
                readinessProbe: { httpGet: { host: '127.0.0.1', path: '/readyz', port: 'health' } },
                securityContext: {
                  readOnlyRootFilesystem: true,
                  allowPrivilegeEscalation: false,
                  capabilities: { drop: ['ALL'], add: ['NET_ADMIN'] },
                },
              },
            ],
          },
        },
      },
    });
    expect(JSON.stringify(objectsIn('agent'))).not.toMatch(/preStop|privileged|initContainers|cleanup/);
  });

  it('let the agent hold keys in memory alone, and find WireGuard that runs in another Pod of the Node', () => {
    const { volumes, containers } = podOf('agent');
    expect(volumes).toEqual([
      { name: 'keys', emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } },
      { name: 'wireguard', hostPath: { path: '/var/run/wireguard', type: 'DirectoryOrCreate' } },
    ]);
    expect(containers[0]?.volumeMounts).toEqual([
      { name: 'keys', mountPath: '/tmp' },
      { name: 'wireguard', mountPath: '/var/run/wireguard' },
    ]);
  });

  it('encrypt after the change that the manifest of the agent shows', () => {
    const text = files['deploy/agent.yaml'] ?? '';
    const [, from = '', to = ''] = /sed 's\/(--traffic\S+)\/(\S+)\/' agent\.yaml/.exec(text) ?? [];
    const changed = objectsOf(
      text
        .split('\n')
        .filter((line) => !line.startsWith('#'))
        .join('\n')
        .replace(from, to),
    );
    expect(from).toBe('--traffic-encryption-mode=none');
    expect(JSON.stringify(changed.at(-1))).toContain('"--traffic-encryption-mode=wireGuard"');
    expect(podOf('agent').containers[0]?.args).toContain(from);
  });

  it('run WireGuard in user space on labelled Nodes alone, without a credential, and replace it only when a user deletes its Pod', () => {
    const [only, ...others] = objectsIn('wireguard');
    expect([only && title(only), others]).toEqual(['DaemonSet kube-system/isthmus-wireguard', []]);
    expect(only).toMatchObject({ spec: { updateStrategy: { type: 'OnDelete' } } });
    expect(podOf('wireguard')).toMatchObject({
      automountServiceAccountToken: false,
      hostNetwork: true,
      nodeSelector: { 'isthmus.dev/wireguard': 'userspace' },
      containers: [
        {
          image: 'isthmus/agent:0.1.0',
          command: ['wireguard-go', '--foreground', 'isthmus-wg'],
          volumeMounts: podOf('agent').containers[0]?.volumeMounts?.slice(1),
        },
      ],
      volumes: podOf('agent').volumes?.slice(1),
    });
  });

  it('reject nothing where the API server does not know the custom resource that a policy looks up', () => {
    for (const { kind, metadata, spec } of [
      ...objectsIn('leader'),
      ...objectsIn('member'),
    ] as ValidatingAdmissionPolicy[]) {
      if (kind !== 'ValidatingAdmissionPolicy') continue;
      const looksUp = spec?.paramKind?.apiVersion?.includes('antrea.io') === true;
      expect(`${metadata.name} ${spec?.failurePolicy}`).toBe(`${metadata.name} ${looksUp ? 'Ignore' : 'Fail'}`);
    }
  });

  it("bring the leader's CustomResourceDefinitions with the member, for dual-role clusters set up member first", () => {
    const definitions = objectsIn('member').filter(isDefinition);
    for (const definition of objectsIn('leader-global')) expect(definitions).toContainEqual(definition);
  });

  it.each([
    { file: 'leader-namespaced', word: 'changeme', render: leaderNamespaced },
    { file: 'leader', word: 'antrea-multicluster', render: leaderWhole },
    { file: 'member', word: 'kube-system', render: memberWhole },
    { file: 'agent', word: 'kube-system', render: agentWhole },
    { file: 'wireguard', word: 'kube-system', render: wireGuardWhole, least: 1 },
    {
      file: 'agent-policies',
      word: 'kube-system',
      render: ({ namespace }: { readonly namespace: string }) => agentPoliciesAccess(namespace),
      least: 0,
    },
  ])(
    'give, with the word $word replaced in $file.yaml, the manifest of another Namespace',
    ({ file, word, render, least = 4 }) => {
      const replaced = (files[`deploy/${file}.yaml`] ?? '').replaceAll(word, 'set-a');
      expect(replaced).toBe(render({ namespace: 'set-a', version }));
      expect(replaced).not.toContain(word);
      const namespaced = objectsOf(replaced).filter(({ metadata }) => metadata.namespace !== undefined);
      expect(namespaced.length).toBeGreaterThanOrEqual(least);
      expect(namespaced.filter(({ metadata }) => metadata.namespace !== 'set-a')).toEqual([]);
    },
  );

  it('run the command of the role, at the version of the repository', () => {
    for (const role of ['leader', 'member'] as const) {
      expect(objectsIn(role).at(-1)).toMatchObject({
        spec: {
          replicas: 2,
          template: {
            spec: {
              containers: [
                {
                  image: 'isthmus/controller:0.1.0',
                  command: ['isthmus', 'controller', role],
                  args: ['--config=/etc/isthmus/controller_manager_config.yaml'],
                },
              ],
            },
          },
        },
      });
    }
  });
});

describe('the installed configuration', () => {
  const [document] = parseYaml(controllerConfigText(), { source: 'config' });
  const decoded = multiClusterConfig.decode(document?.value);

  it('passes strict decoding', () => {
    expect(decoded).toMatchObject({ unknownFields: [], errors: [] });
  });

  it('has the defaults, with metrics enabled', () => {
    const { value } = multiClusterConfig.decode({ apiVersion: decoded.value.apiVersion, kind: decoded.value.kind });
    expect(decoded.value).toEqual({
      ...value,
      metrics: { bindAddress: ':8081' },
      allowedCIDRs: [],
      importExcludedNamespaces: [],
      podCIDRs: [],
      virtualPodCIDRs: [],
    });
  });

  it('is the text in both ConfigMaps', () => {
    for (const file of ['leader', 'member']) {
      const configMap = objectsIn(file).find(({ kind }) => kind === 'ConfigMap');
      expect(configMap).toMatchObject({ data: { 'controller_manager_config.yaml': controllerConfigText() } });
    }
  });
});
