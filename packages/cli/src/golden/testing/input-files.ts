import type { Files } from './record.ts';
import { repositoryFile } from './record.ts';

const file = (kind: string, name: string, spec: string) =>
  `apiVersion: upgrade.isthmus.dev/v1alpha1\nkind: ${kind}\nmetadata: {name: ${name}}\nspec:\n${spec}`;

const digest = (digit: string) => `sha256:${digit.repeat(64)}`;

const bundle = (number: number, flux: string, cilium: string, more = '') =>
  file(
    'ComponentBundle',
    `bundle-${number}`,
    `  number: ${number}
  channel: stable
  createdAt: 2026-11-01T00:00:00Z
${more}  components:
    - id: flux
      version: {upstream: ${flux}, build: a34c207}
      builtFrom: {controllers: ${flux.slice(1)}}
      artifacts: [{name: source, kind: image, uri: 'registry.example/flux:${flux}', digest: '${digest('1')}'}]
    - id: cilium
      version: {upstream: ${cilium}, scheme: eks-suffix}
      supports: {kubernetes: {min: "1.31", max: "1.33"}}
      artifacts: [{name: agent, kind: image, uri: 'registry.example/cilium:${cilium}', digest: '${digest('2')}'}]
`,
  );

const version = (name: string, a: string, more = '') =>
  `    - name: ${name}
      served: true
      storage: ${name === 'v1'}${more}
      schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {a: ${a}, b: {type: string}}}}}}
`;
const crd = (group: string, versions: string) => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.${group}}
spec:
  group: ${group}
  scope: Namespaced
  names: {plural: widgets, kind: Widget}
  versions:
${versions}status: {storedVersions: [v1]}
`;
const widget = (name: string, a: string) =>
  `---\napiVersion: example.com/v1\nkind: Widget\nmetadata: {namespace: ns, name: ${name}}\nspec: {a: ${a}, b: x}\n`;

const snapshot = file(
  'FleetSnapshot',
  'fleet',
  `  takenAt: 2026-11-21T09:00:00Z
  clusters:
    - name: east
      components:
        - {id: kube-apiserver, live: [{version: v1.27.3}]}
        - {id: antrea-controller, live: [{version: v1.13.1}]}
        - {id: antrea-agent, live: [{version: v1.8.2}]}
      objects: [{apiVersion: batch/v1beta1, kind: CronJob, metadata: {name: nightly, namespace: jobs}}]
`,
);

const metrics = (type: string) => `# HELP antrea_agent_up Whether the agent is up
# TYPE antrea_agent_up ${type}
antrea_agent_up 1
other_total 3
`;

/**
 * What the recorded command lines read: the examples of the docs, and made-up files for what these
 * do not show.
 */
export const inputFiles: Files = {
  ...Object.fromEntries(
    ['antrea-2.7', 'eks-anywhere'].flatMap((name) =>
      ['bundle.yaml', 'fleet.yaml'].map((each) => [
        `${name}/${each}`,
        repositoryFile(`docs/upgrade/examples/${name}/${each}`),
      ]),
    ),
  ),
  'antrea-history.yaml': repositoryFile('docs/upgrade/examples/antrea-history.yaml'),
  'crds/clustersets.yaml': repositoryFile('deploy/crds/clustersets.multicluster.crd.antrea.io.yaml'),
  'bundle-6.yaml': bundle(6, 'v2.3.0', 'v1.18.1-1'),
  'bundle-7.yaml': bundle(7, 'v2.3.1', 'v1.18.1-2'),
  'bundle-bad.yaml': bundle(8, 'v2.4.0', 'v1.19', '  policies: [{name: nobody}]\n  expiresAt: 2026-11-02T00:00:00Z\n'),
  'old-crd.yaml': crd(
    'example.com',
    version('v1beta1', '{type: string}') + version('v1', '{type: string, enum: [red, blue]}'),
  ),
  'new-crd.yaml': crd('example.com', version('v1', '{type: string, enum: [red]}').replace(', b: {type: string}', '')),
  'placed-crd.yaml': crd(
    'crd.antrea.io',
    version('v1alpha1', '{type: string}', '').replace('storage: false', 'storage: true'),
  ),
  'depends-on.yaml': 'widgets.crd.antrea.io: [v1alpha2/ClusterGroup]\n',
  'widgets.yaml': widget('one', 'red') + widget('two', 'blue') + widget('three', 'green'),
  'manifests/cron.yaml': 'apiVersion: batch/v1beta1\nkind: CronJob\nmetadata: {name: nightly, namespace: jobs}\n',
  'manifests/odd.yaml': 'apiVersion: apps/v9\nkind: Deployment\nmetadata: {name: web}\n',
  'manifests/widget.yaml': widget('four', 'blue'),
  'skewed.yaml': snapshot,
  'waivers.yaml': file(
    'Waivers',
    'waivers',
    '  waivers: [{rule: antrea.agent, path: east, reason: moves tomorrow, by: ops, until: 2026-12-31}]\n',
  ),
  'old-metrics.txt': metrics('gauge'),
  'new-metrics.txt': metrics('counter').replaceAll('agent_up', 'agent_alive'),
  'dashboards/a.json': '{\n"expr": "antrea_agent_up"}',
  'index.yaml': file(
    'ChannelIndex',
    'index',
    `  bundles: [{name: bundle-7, channel: stable, number: 7, createdAt: 2026-11-01T00:00:00Z, uri: bundle-7.yaml, digest: '${digest('0')}'}]\n`,
  ),
  'typo.yaml': file('FleetSnapshot', 'typo', '  takenAt: yesterday\n  cluster: []\n'),
  'broken.yaml': 'a: [\n',
  'plan.md': '# Upgrade of prod\n\n| Step | Cluster |\n|---|---|\n| 1.1: back up | east |\n',
  'public.pem': '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n',
  'no-role.yaml':
    'apiVersion: multicluster.crd.antrea.io/v1alpha1\nkind: MultiClusterConfig\nendpointIPType: Node\npodCIDRs: [x]\n',
};
