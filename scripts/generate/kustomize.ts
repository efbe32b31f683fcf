import { customResources, FixedName } from '@isthmus/api';
import { agentObjects, controllerObjects, definitionObjects, roles } from '@isthmus/clusterset';
import { printYaml, printYamlDocuments } from '@isthmus/machinery';
import { createHash } from 'node:crypto';
import { crdFileOf } from './crds.ts';
import { yamlHeader } from './generator.ts';
import type { Generator } from './generator.ts';
import { repositoryVersion } from './repository-version.ts';

/** A base of kustomize for each role, on one for all CustomResourceDefinitions: the objects of the manifests. */
export const kustomizeGenerator: Generator = {
  name: 'kustomize',
  owns: (path) => path === definitionsFile || /^deploy\/kustomize\/[^/]+\/[^/]+\.yaml$/.test(path),
  files: () => ({
    [definitionsFile]: kustomization({ resources: customResources.map((one) => crdFileOf(one).replace(/^.*\//, '')) }),
    ...base('leader', FixedName.leaderNamespace),
    ...base('member', FixedName.memberNamespace),
    'deploy/kustomize/agent/kustomization.yaml': kustomization({ resources: ['agent.yaml'] }),
    'deploy/kustomize/agent/agent.yaml':
      yamlHeader +
      printYamlDocuments(agentObjects({ version: repositoryVersion(), namespace: FixedName.memberNamespace })),
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
      resources: ['../../crds', 'controller.yaml'],
      ...(patches.length > 0 && { patches }),
    }),
    [`deploy/kustomize/${role}/controller.yaml`]:
      yamlHeader + printYamlDocuments(controllerObjects(roles[role], { version, namespace, sha256 })),
  };
}

function kustomization(content: object): string {
  return yamlHeader + printYaml({ apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization', ...content });
}
