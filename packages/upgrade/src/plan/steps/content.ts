import type { KubernetesObject } from '@isthmus/machinery';
import type { Artifact, Component } from '../../bundle/component.ts';
import { fullVersion } from '../../bundle/components-of.ts';
import type { LoadedBundle } from '../../bundle/loaded-bundle.ts';
import { servesWebhooks } from '../../immutable/immutable-findings.ts';

/** What a component brings to a cluster, split by what has to happen when. */
export interface Content {
  readonly definitions: readonly KubernetesObject[];
  /** What is nobody's workload. */
  readonly shared: readonly KubernetesObject[];
  /** The component at work: its own workloads. */
  readonly own: readonly KubernetesObject[];
  readonly all: readonly KubernetesObject[];
  /** Whether Pods of its own workloads answer webhooks or conversions. */
  readonly servesWebhooks: boolean;
  /** Artifacts of manifests that were not at hand. */
  readonly missing: readonly Artifact[];
  /** The manifests, those at hand and those that are not: each with location and digest. */
  readonly artifacts: readonly string[];
  /** What identifies them: the digest, or version and location of one that has none. */
  readonly keys: readonly string[];
}

/** Splits the manifests of components by their workloads and those of their unit; each component at a version once. */
export function contentReader(
  bundles: readonly LoadedBundle[],
  unitOf: (component: Component) => readonly Component[],
): (component: Component) => Content {
  const known = new Map<Component, Content>();
  return (component) => {
    const found = known.get(component);
    if (found !== undefined) return found;
    const content = read(component, bundles, unitOf(component));
    known.set(component, content);
    return content;
  };
}

function read(component: Component, bundles: readonly LoadedBundle[], unit: readonly Component[]): Content {
  const files = component.artifacts
    .filter(({ kind }) => kind === 'manifest' || kind === 'crdset')
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const objects = files.map(({ digest }) =>
    bundles.map(({ contents }) => contents.get(digest ?? '')).find((one) => one !== undefined),
  );
  const all = objects.flatMap((one) => one ?? []);
  const definitions = all.filter(({ kind }) => kind === 'CustomResourceDefinition');
  const isOf = (one: KubernetesObject, owner: Component) =>
    owner.workloads.some(
      ({ kind, namespace, name }) =>
        one.kind === kind && one.metadata.name === name && (one.metadata.namespace ?? 'default') === namespace,
    );
  const own = all.filter((one) => isOf(one, component));
  const shared = all.filter(
    (one) => one.kind !== 'CustomResourceDefinition' && !own.includes(one) && !unit.some((other) => isOf(one, other)),
  );
  return {
    definitions,
    shared,
    own,
    all,
    servesWebhooks: own.some((one) => servesWebhooks(one, all)),
    missing: files.filter((_, at) => objects[at] === undefined),
    artifacts: files.map(artifactText),
    keys: files.map(({ digest, uri }) => digest ?? `${fullVersion(component)} ${uri}`),
  };
}

/** An artifact by its location and what identifies its content: `registry.example/x:v1@sha256:…`, or that it has no digest. */
export function artifactText({ uri, digest }: Artifact): string {
  if (digest === undefined) return `${uri} (no digest)`;
  return uri.endsWith(`@${digest}`) ? uri : `${uri}@${digest}`;
}
