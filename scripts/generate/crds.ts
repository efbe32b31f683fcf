import { customResources, leaderResources, memberResources } from '@isthmus/api';
import { crdOf } from '@isthmus/schema';
import { printYaml, printYamlDocuments } from '@isthmus/machinery';
import type { ResourceDefinition } from '@isthmus/schema';
import { yamlHeader } from './generator.ts';
import type { Generator } from './generator.ts';

/**
 * One file per CustomResourceDefinition, and for each role the list of those that it needs, to
 * apply at once.
 */
export const crdGenerator: Generator = {
  name: 'CRDs',
  owns: (path) => /^deploy\/crds\/[^/]+\.yaml$/.test(path) || /^deploy\/(?:leader|member)-crds\.yaml$/.test(path),
  files: () => ({
    ...Object.fromEntries(
      customResources.map((resource) => [crdFileOf(resource), yamlHeader + printYaml(crdOf(resource))]),
    ),
    'deploy/leader-crds.yaml': listOf('leader', leaderResources),
    'deploy/member-crds.yaml': listOf('member', memberResources),
  }),
};

/** Where the CustomResourceDefinition is. */
export function crdFileOf(resource: ResourceDefinition): string {
  return `deploy/crds/${resource.plural}.${resource.group}.yaml`;
}

function listOf(role: string, resources: readonly ResourceDefinition[]): string {
  const notes = [
    `The CustomResourceDefinitions of a ${role} only; ${role}.yaml contains them, too. Apply this file if the chart is installed with crds.install=false,`,
    'or if a controller reports a missing definition. Deleting it deletes all ClusterSets, exports and imports of the cluster: see docs/helm.md.',
  ];
  return yamlHeader + notes.map((note) => `# ${note}\n`).join('') + printYamlDocuments(resources.map(crdOf));
}
