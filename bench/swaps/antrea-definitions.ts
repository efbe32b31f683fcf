import { customResources } from '@isthmus/api';
import { printYamlDocuments } from '@isthmus/machinery';
import type { CustomResourceDefinition } from '@isthmus/schema';
import { crdOf } from '@isthmus/schema';

const ofRole = {
  leader: ['ClusterSet', 'MemberClusterAnnounce', 'ResourceExport', 'ResourceImport'],
  member: ['ClusterInfoImport', 'ClusterSet', 'Gateway', 'LabelIdentity', 'ServiceExport', 'ServiceImport'],
} as const;

/** Which of our fields the definitions of Antrea 2.7 lack, by kind (docs/spec/wire.md §2). */
const lacking: Readonly<Record<string, readonly (readonly string[])[]>> = {
  ResourceExport: [['spec', 'endpointSlices']],
  ResourceImport: [['spec', 'endpointSlices']],
  ServiceExport: [['spec']],
  ServiceImport: [
    ['spec', 'internalTrafficPolicy'],
    ['spec', 'ipFamilies'],
    ['spec', 'trafficDistribution'],
    ['status', 'conditions'],
    ['status', 'endpointSliceObjects'],
  ],
};

/**
 * The definitions of a role with what Antrea's lack taken out of ours: one version of the kinds of
 * the MCS API, and pruned fields.
 */
export function antreaDefinitions(role: 'leader' | 'member'): string {
  const kinds: readonly string[] = ofRole[role];
  const wanted = customResources.filter(({ kind }) => kinds.includes(kind));
  return printYamlDocuments(wanted.map((definition) => asAntreaHasIt(crdOf(definition))));
}

function asAntreaHasIt(crd: CustomResourceDefinition): CustomResourceDefinition {
  const { kind } = crd.spec.names;
  const isMcs = ['ServiceExport', 'ServiceImport'].includes(kind);
  const versions = crd.spec.versions
    .filter(({ name }) => !isMcs || name === 'v1alpha1')
    .map((version) => ({
      ...version,
      ...(isMcs ? { storage: true, additionalPrinterColumns: [] } : {}),
      schema: { openAPIV3Schema: (lacking[kind] ?? []).reduce<Schema>(without, version.schema?.openAPIV3Schema ?? {}) },
    }));
  const { labels: _, ...metadata } = crd.metadata;
  return { ...crd, metadata: { ...metadata, labels: { app: 'antrea' } }, spec: { ...crd.spec, versions } };
}

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>> | undefined;
}

function without(schema: Schema, [key = '', ...rest]: readonly string[]): Schema {
  const { [key]: found, ...properties } = schema.properties ?? {};
  if (found === undefined) return schema;
  return { ...schema, properties: rest.length === 0 ? properties : { ...properties, [key]: without(found, rest) } };
}
