import { createHash } from 'node:crypto';
import { Annotation, FixedName } from '@isthmus/api';
import {
  agentObjects,
  agentPolicyObjects,
  controllerObjects,
  dnsObjects,
  definitionObjects,
  memberEventObjects,
  metricsReader,
  metricsReview,
  roles,
  strictIdentityObjects,
  userspaceWireGuard,
  wireGuardDaemonSet,
  encryptionArgument,
  policiesArgument,
} from '@isthmus/install';
import type { InstallOptions } from '@isthmus/install';
import { printYamlDocuments } from '@isthmus/machinery';
import { yamlHeader } from './generator.ts';

type Options = Omit<InstallOptions, 'sha256'>;

/**
 * The manifests to install from, each in the order in which its objects are to be created. They
 * contain the Namespace as a plain word, so that replacing it in the text gives the manifest for
 * another one; no manifest creates it. `imageDigest` belongs to the image of a release, and
 * `agentDigest` to the image of its agent; without a digest the tag alone decides.
 */
export function manifests(
  version: string,
  imageDigest?: string,
  agentDigest?: string,
): Readonly<Record<string, string>> {
  const release = { version, imageDigest };
  const leader = { ...release, namespace: FixedName.leaderNamespace };
  const chosen = { ...release, namespace: FixedName.namespaceToReplace };
  const member = { ...release, namespace: FixedName.memberNamespace };
  return {
    'deploy/agent.yaml': agentWhole({ ...member, imageDigest: agentDigest }),
    'deploy/agent-policies.yaml': agentPoliciesAccess(member.namespace),
    'deploy/leader-global.yaml': leaderGlobal(),
    'deploy/leader-namespaced.yaml': leaderNamespaced(chosen),
    'deploy/leader.yaml': leaderWhole(leader),
    'deploy/leader-strict.yaml': leaderStrict(leader.namespace),
    'deploy/leader-events.yaml': leaderEvents(leader.namespace),
    'deploy/member.yaml': memberWhole(member),
    'deploy/metrics.yaml': metricsAccess(),
    'deploy/dns.yaml': dnsServer(member),
    'deploy/wireguard.yaml': wireGuardWhole({ ...member, imageDigest: agentDigest }),
  };
}

/** The objects that a leader cluster has once, whatever the number of its Common Areas. */
function leaderGlobal(): string {
  return text(['The CustomResourceDefinitions of a leader cluster.'], definitionObjects(roles.leader));
}

/**
 * The objects in the Namespace of a leader, and the admission policies for it, under names of its
 * own.
 */
export function leaderNamespaced(options: Options): string {
  return text(
    [
      "A leader's controller and the Role of the members' tokens, in a Namespace of your choice; leader-global.yaml comes first.",
      'Create the Namespace, and replace the word in this file with its name:',
      '  kubectl create namespace NAMESPACE',
      `  sed 's/${options.namespace}/NAMESPACE/g' leader-namespaced.yaml | kubectl apply -f -`,
      ...admissionNote,
      ...imageNote,
      webhookNote,
    ],
    controllerObjects(roles.leader, withDigest(options)),
  );
}

/** Both of a leader's parts. */
export function leaderWhole(options: Options): string {
  return text(
    [
      `A leader: CustomResourceDefinitions, controller and the Role of the members' tokens, in the Namespace ${options.namespace}.`,
      ...leaderNotes(options),
    ],
    [...definitionObjects(roles.leader), ...controllerObjects(roles.leader, withDigest(options))],
  );
}

/** For a leader whose members all have accounts that name their cluster. */
function leaderStrict(namespace: string): string {
  return text(
    [
      `Apply this in addition to the manifest of a leader in the Namespace ${namespace}: it rejects all writes of members whose ServiceAccounts do not name their cluster.`,
      'First annotate the account of each member:',
      `  kubectl -n ${namespace} annotate serviceaccount NAME ${Annotation.clusterID}=<cluster ID>`,
      'It has no effect in other Namespaces. If the leader is in another one:',
      `  sed 's/${namespace}/NAMESPACE/g' leader-strict.yaml | kubectl apply -f -`,
    ],
    strictIdentityObjects(namespace),
  );
}

/** For a leader whose members report in Events which policies they cannot import. */
function leaderEvents(namespace: string): string {
  return text(
    [
      `Apply this in addition to the manifest of a leader in the Namespace ${namespace}: its members can then write Events there about policies that they cannot import. ResourceExports report the same without it.`,
      'Events fill the database of the API server, which limits their size, and not their number. If the leader is in another Namespace:',
      `  sed 's/${namespace}/NAMESPACE/g' leader-events.yaml | kubectl apply -f -`,
    ],
    memberEventObjects(namespace),
  );
}

/** All that a member cluster has. */
export function memberWhole(options: Options): string {
  const notes = [
    `A member: CustomResourceDefinitions and controller, in the Namespace ${options.namespace}. For another Namespace:`,
    `  sed 's/${options.namespace}/NAMESPACE/g' member.yaml | kubectl apply -f -`,
    'Install it in one Namespace only: a second installation takes the permissions of the first, whose ClusterSet then reports AccessDenied (docs/troubleshooting.md).',
    ...memberAdmissionNote,
    ...imageNote,
    webhookNote,
  ];
  return text(notes, [...definitionObjects(roles.member), ...controllerObjects(roles.member, withDigest(options))]);
}

/** The agents of a member, beside its controller. */
export function agentWhole(options: Options): string {
  const notes = [
    'Agents that carry packets between clusters, one on each Node of a member: docs/guides/agent.md. The data plane is not proven yet: try it before you depend on it.',
    `member.yaml comes first. Use its Namespace here; if it is not ${options.namespace}:`,
    `  sed 's/${options.namespace}/NAMESPACE/g' agent.yaml | kubectl apply -f -`,
    'To encrypt packets between gateways of different clusters, run this in all clusters:',
    `  sed 's/${encryptionArgument('none')}/${encryptionArgument('wireGuard')}/' agent.yaml | kubectl apply -f -`,
    'For labels and policies, agent-policies.yaml also shows how to turn them on.',
    'An agent that ends leaves the network of its Node as it is. To remove it, run `isthmus agent cleanup` on each Node, as docs/guides/agent.md shows.',
    ...agentAdmissionNote,
    ...imageNote,
  ];
  return text(notes, agentObjects(options));
}

/** The further permissions of agents with labels and policies. */
export function agentPoliciesAccess(namespace: string): string {
  const notes = [
    'Lets agents read what labels and policies need: Pods and Namespaces of the whole cluster, LabelIdentities, and policies of Antrea (docs/guides/agent.md). Agents that do not need it cannot read them.',
    'Apply this file, and then turn labels and policies on:',
    `  sed 's/${policiesArgument(false)}/${policiesArgument(true)}/' agent.yaml | kubectl apply -f -`,
    'To turn them off, apply agent.yaml without this change, and then delete the objects of this file.',
    `Use the Namespace of agent.yaml; if it is not ${namespace}:`,
    `  sed 's/${namespace}/NAMESPACE/g' agent-policies.yaml | kubectl apply -f -`,
  ];
  return text(notes, agentPolicyObjects(namespace));
}

/** For gateways whose kernel has no WireGuard. */
export function wireGuardWhole(options: Options): string {
  const [label] = Object.entries(userspaceWireGuard).map(([key, value]) => `${key}=${value}`);
  const notes = [
    'WireGuard in user space, for gateways that encrypt but whose kernel lacks WireGuard: docs/guides/agent.md. Its container is privileged. Label these Nodes, and no others:',
    `  kubectl label node NODE ${label}`,
    `Use the Namespace of agent.yaml; if it is not ${options.namespace}:`,
    `  sed 's/${options.namespace}/NAMESPACE/g' wireguard.yaml | kubectl apply -f -`,
    'Its Pods are replaced only when you delete them; the gateway then gets another key.',
    ...imageNote,
  ];
  return text(notes, [wireGuardDaemonSet(options)]);
}

/** The objects that a reader of metrics needs. */
function metricsAccess(): string {
  const { leaderNamespace, memberNamespace } = FixedName;
  return text(
    [
      'Access to metrics: the ClusterRole for readers, and for a leader, a member, its agents and its DNS server, permission to authenticate and authorize readers.',
      'Bindings of components that are not installed have no effect. For Namespaces other than those of leader.yaml and member.yaml:',
      `  sed 's/${leaderNamespace}/LEADERS-NAMESPACE/g; s/${memberNamespace}/MEMBERS-NAMESPACE/g' metrics.yaml | kubectl apply -f -`,
    ],
    [
      metricsReader(),
      metricsReview('controller', leaderNamespace),
      ...(['controller', 'agent', 'dns'] as const).map((server) => metricsReview(server, memberNamespace)),
    ],
  );
}

/** A server of names, for clusters whose DNS servers forward to it. */
function dnsServer(options: Options): string {
  const { namespace } = options;
  return text(
    [
      `A DNS server for clusterset.local in a member cluster, in the Namespace ${namespace}. It needs the CustomResourceDefinitions of member.yaml.`,
      'The DNS servers of the cluster must forward the zone to its Service: see docs/guides/dns.md. For another Namespace:',
      `  sed 's/${namespace}/NAMESPACE/g' dns.yaml | kubectl apply -f -`,
      ...imageNote,
    ],
    dnsObjects(options),
  );
}

function withDigest(options: Options): InstallOptions {
  return { ...options, sha256: (text) => createHash('sha256').update(text).digest('hex') };
}

function leaderNotes({ namespace }: Options): readonly string[] {
  return [
    'Create the Namespace first:',
    `  kubectl create namespace ${namespace}`,
    'For another Namespace, replace its name in this file:',
    `  sed 's/${namespace}/NAMESPACE/g' FILE | kubectl apply -f -`,
    ...admissionNote,
    ...imageNote,
    webhookNote,
  ];
}

const imageNote = [
  'The image is not published in a registry. Before you apply this file, build it with `npm run build` in a checkout, and import it on every Node; otherwise the Pods report ErrImagePull or ImagePullBackOff. To use your own registry, push it there and replace the name in this file (docs/release.md, "The image"):',
  "  sed 's#image: isthmus/#image: registry.example.com/isthmus/#' FILE | kubectl apply -f -",
];

const webhookNote =
  'Isthmus uses admission policies instead of webhooks, so this file has no Service and no webhook configuration. See docs/reference/rbac.md.';

const admissionNote = [
  "Its ValidatingAdmissionPolicies need Kubernetes 1.30. An older API server rejects them and accepts the rest; a member's token can then write the exports of other members, and policies, which the ClusterSet reports. To see everything that an API server rejects before anything is changed: kubectl apply --dry-run=server -f FILE",
];

const agentAdmissionNote = [
  'Its ValidatingAdmissionPolicy needs Kubernetes 1.30. An older API server rejects it and accepts the rest; agents can then write every Lease of the Namespace.',
];

const memberAdmissionNote = [
  'Its ValidatingAdmissionPolicies need Kubernetes 1.30. An older API server rejects them and accepts the rest; the controller then reports that and invalid objects on the ClusterSet. To see everything that an API server rejects before anything is changed: kubectl apply --dry-run=server -f FILE',
];

function text(notes: readonly string[], objects: readonly object[]): string {
  return yamlHeader + notes.map((note) => `# ${note}\n`).join('') + printYamlDocuments(objects);
}
