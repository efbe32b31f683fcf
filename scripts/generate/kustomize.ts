import { customResources, FixedName } from '@isthmus/api';
import {
  agentDaemonSet,
  agentObjects,
  agentPolicyObjects,
  controllerObjects,
  definitionObjects,
  dnsObjects,
  encryptionArgument,
  policiesArgument,
  roles,
  wireGuardDaemonSet,
} from '@isthmus/install';
import { printYaml, printYamlDocuments } from '@isthmus/machinery';
import { createHash } from 'node:crypto';
import { crdFileOf } from './crds.ts';
import { yamlHeader } from './generator.ts';
import type { Generator } from './generator.ts';
import { repositoryVersion } from './repository-version.ts';

/**
 * A base of kustomize for each role, on one for all CustomResourceDefinitions: the objects of the
 * manifests.
 */
export const kustomizeGenerator: Generator = {
  name: 'kustomize',
  owns: (path) => path === definitionsFile || /^deploy\/kustomize\/[^/]+\/[^/]+\.yaml$/.test(path),
  files: () => ({
    [definitionsFile]: kustomization({ resources: customResources.map((one) => crdFileOf(one).replace(/^.*\//, '')) }),
    ...base('leader', FixedName.leaderNamespace),
    ...base('member', FixedName.memberNamespace),
    ...process('agent', agentObjects(inMember())),
    'deploy/kustomize/agent/kustomization.yaml': kustomization({ resources: ['agent.yaml', guardFile] }),
    [`deploy/kustomize/agent/${guardFile}`]: namespaceGuard('agent', FixedName.memberNamespace),
    ...process('dns', dnsObjects(inMember())),
    'deploy/kustomize/encryption/kustomization.yaml': component({
      patches: otherArgument('encryption', encryptionArgument('none'), encryptionArgument('wireGuard')),
    }),
    ...files('agent-policies', component, agentPolicyObjects(FixedName.memberNamespace), {
      patches: otherArgument('labels and policies', policiesArgument(false), policiesArgument(true)),
    }),
    ...files('userspace-wireguard', component, [wireGuardDaemonSet(inMember())]),
  }),
};

/** Without an ending, so that `kubectl apply -f deploy/crds` does not take it for an object. */
const definitionsFile = 'deploy/crds/Kustomization';

function base(role: 'leader' | 'member', namespace: string): Readonly<Record<string, string>> {
  const wanted = new Set(definitionObjects(roles[role]).map(({ metadata }) => metadata.name));
  const others = definitionObjects(roles.member).filter(({ metadata }) => !wanted.has(metadata.name));
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  const version = repositoryVersion();
  const patches = others.map(({ apiVersion, kind, metadata: { name } }) => ({
    patch: printYaml({ $patch: 'delete', apiVersion, kind, metadata: { name } }),
  }));
  return {
    [`deploy/kustomize/${role}/kustomization.yaml`]: kustomization({
      resources: ['../../crds', 'controller.yaml', guardFile],
      ...(patches.length > 0 && { patches }),
    }),
    [`deploy/kustomize/${role}/controller.yaml`]:
      yamlHeader + printYamlDocuments(controllerObjects(roles[role], { version, namespace, sha256 })),
    [`deploy/kustomize/${role}/${guardFile}`]: namespaceGuard(role, namespace),
  };
}

const guardFile = 'namespace-guard.yaml';

/**
 * Makes kustomize fail where a kustomization sets `namespace`, which would not reach the names and
 * rules of the admission policies: both objects would then have one name in one Namespace.
 * kustomize prints them with its error, and leaves them out of what it builds.
 */
function namespaceGuard(base: string, namespace: string): string {
  const object = (side: string) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: `namespace-cannot-be-set-for-isthmus-${base}`,
      namespace: `${namespace}-${side}`,
      annotations: { 'config.kubernetes.io/local-config': 'true' },
    },
    data: {
      help: `kustomize does not change the Namespace in the admission policies of this base. Remove namespace from your kustomization. To install in a Namespace other than ${namespace}, replace its name in what kustomize prints: sed 's/${namespace}/NAMESPACE/g' (docs/kustomize.md)`,
    },
  });
  return yamlHeader + printYamlDocuments([object('a'), object('b')]);
}

const inMember = () => ({ version: repositoryVersion(), namespace: FixedName.memberNamespace });

/** A base beside that of a member. */
function process(name: string, objects: readonly object[]): Readonly<Record<string, string>> {
  return files(name, kustomization, objects);
}

function files(
  name: string,
  kind: (content: object) => string,
  objects: readonly object[],
  more: object = {},
): Readonly<Record<string, string>> {
  const folder = `deploy/kustomize/${name}`;
  return {
    [`${folder}/kustomization.yaml`]: kind({ resources: [`${name}.yaml`], ...more }),
    [`${folder}/${name}.yaml`]: yamlHeader + printYamlDocuments(objects),
  };
}

/**
 * Gives agents another argument, which turns something on. The first patch changes nothing: without
 * agents it fails, where one with a target is ignored. The test of the second makes it fail where
 * the argument is not at this place.
 */
function otherArgument(of: string, from: string, to: string): readonly object[] {
  const { apiVersion, kind, metadata, spec } = agentDaemonSet(inMember());
  const { name, namespace } = metadata;
  const [container] = spec.template.spec.containers;
  const index = container?.args?.indexOf(from) ?? -1;
  if (index < 0) throw new Error(`the agent has no argument for ${of}`);
  const path = `/spec/template/spec/containers/0/args/${index}`;
  return [
    { patch: printYaml({ apiVersion, kind, metadata: { name, namespace } }) },
    {
      target: { kind, name },
      patch: printYaml([
        { op: 'test', path, value: from },
        { op: 'replace', path, value: to },
      ]),
    },
  ];
}

function kustomization(content: object): string {
  return yamlHeader + printYaml({ apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization', ...content });
}

function component(content: object): string {
  return yamlHeader + printYaml({ apiVersion: 'kustomize.config.k8s.io/v1alpha1', kind: 'Component', ...content });
}
