import * as api from '@isthmus/api';
import { customResources } from '@isthmus/api';
import { crdOf } from '@isthmus/schema';
import type { CustomResourceDefinition } from '@isthmus/schema';
import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import { createSandbox } from '@isthmus/sandbox';
import type { Sandbox, SandboxImage } from '@isthmus/sandbox';
import type { VirtualClock } from '../clock/virtual-clock.ts';
import { createVirtualClock } from '../clock/virtual-clock.ts';

/**
 * The images that the clusters of a fleet start from: established definitions, compiled once for
 * all fleets of a process.
 */
export const definitions = {
  /** The definitions of our kinds, as we install them. */
  ours: once(() => established((crd) => crd)),
  /** The same definitions as Antrea installs them. */
  antreas: once(() => established(asAntreaHasIt)),
};

async function established(
  changed: (crd: CustomResourceDefinition) => CustomResourceDefinition,
): Promise<SandboxImage> {
  const clock = createVirtualClock({ startMs: 0 });
  const sandbox = createSandbox({ name: 'image', clock });
  for (const definition of customResources) sandbox.admin.put(Definition, changed(crdOf(definition)));
  await clock.settle();
  return sandbox.image();
}

/**
 * A definition as Antrea installs it. Antrea's schemas of ResourceExport and ResourceImport do not
 * have our additional field (docs/spec/wire.md §9).
 */
function asAntreaHasIt(crd: CustomResourceDefinition): CustomResourceDefinition {
  if (!['ResourceExport', 'ResourceImport'].includes(crd.spec.names.kind)) return crd;
  const versions = crd.spec.versions.map((version) => {
    const schema = version.schema?.openAPIV3Schema;
    const spec = schema?.properties?.['spec'];
    if (schema === undefined || spec === undefined) return version;
    const { endpointSlices: _, ...properties } = spec.properties ?? {};
    const pruned = { ...schema, properties: { ...schema.properties, spec: { ...spec, properties } } };
    return { ...version, schema: { openAPIV3Schema: pruned } };
  });
  return { ...crd, spec: { ...crd.spec, versions } };
}

/** The kind of the API server, with the type of our definitions. */
const Definition = api.CustomResourceDefinition as ResourceType<CustomResourceDefinition & KubernetesObject>;

/**
 * Replaces the definitions of a cluster by those that Antrea installs, as its manifest does. They
 * are served when the promise resolves.
 */
export async function installAntreaDefinitions({ admin }: Sandbox, clock: VirtualClock): Promise<void> {
  for (const definition of customResources) {
    const crd = asAntreaHasIt(crdOf(definition));
    const found = admin.get(Definition, crd.metadata);
    admin.put(Definition, { ...crd, metadata: found?.metadata ?? crd.metadata, status: found?.status });
  }
  await clock.settle();
}

/** Defines a kind that keeps all fields. It is served once the clock has settled. */
export function putDefinition({ admin }: Sandbox, type: ResourceType): void {
  const { group, version, kind, plural, namespaced } = type;
  admin.put(Definition, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: namespaced ? 'Namespaced' : 'Cluster',
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  });
}

/**
 * A function that computes its result at the first call. The result has no arguments, so all
 * callers get the same.
 */
function once<T>(ask: () => T): () => T {
  let answer: { readonly value: T } | undefined;
  return () => (answer ??= { value: ask() }).value;
}
