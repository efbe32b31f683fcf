import { isRecord } from '@isthmus/machinery';
import type { KubernetesObject } from '@isthmus/machinery';
import type { Artifact, Component } from '../../bundle/component.ts';
import { fullVersion } from '../../bundle/components-of.ts';
import type { LoadedBundle } from '../../bundle/loaded-bundle.ts';
import { servesWebhooks } from '../../immutable/immutable-findings.ts';

/** The objects that a component brings to a cluster, split by the time of their steps. */
export interface Content {
  readonly definitions: readonly KubernetesObject[];
  /** Objects that are neither CRDs nor workloads of a component. */
  readonly shared: readonly KubernetesObject[];
  /** The component at work: its own workloads. */
  readonly own: readonly KubernetesObject[];
  readonly all: readonly KubernetesObject[];
  /** Whether Pods of its own workloads answer webhooks or conversions. */
  readonly servesWebhooks: boolean;
  /** Artifacts of manifests that were not available. */
  readonly missing: readonly Artifact[];
  /** The manifests, available or not, each with location and digest. */
  readonly artifacts: readonly string[];
  /**
   * The identities of the manifests: the digest, or version and location of a manifest without
   * digest.
   */
  readonly keys: readonly string[];
}

/**
 * Splits the manifests of components by their workloads and those of their unit; each component at
 * a version once.
 */
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
  const listed = manifestsOf(component);
  // One release has one manifest: it is listed with one of the components, or with each.
  const files = listed.length > 0 ? listed : unit.flatMap(manifestsOf);
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

function manifestsOf({ artifacts }: Component): readonly Artifact[] {
  return artifacts
    .filter(({ kind }) => kind === 'manifest' || kind === 'crdset')
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * The images of the workloads of a component that are not among its artifacts, such as those of a
 * manifest alone; with the digest, where they have one.
 */
export function otherImages({ own }: Content, { artifacts }: Component): readonly string[] {
  const listed = new Set(artifacts.flatMap(({ kind, uri }) => (kind === 'image' ? [repositoryOf(uri)] : [])));
  const images = own.flatMap(imagesOf).filter((one) => !listed.has(repositoryOf(one)));
  return [...new Set(images)].map((one) => (one.includes('@sha256:') ? one : `${one} (no digest)`));
}

function imagesOf(workload: KubernetesObject): readonly string[] {
  const template = recordAt(recordAt(workload, 'spec'), 'template');
  const podSpec = recordAt(template, 'spec');
  return [podSpec['initContainers'], podSpec['containers']].flatMap((list) =>
    (Array.isArray(list) ? (list as readonly unknown[]) : []).flatMap((one) => {
      const image = isRecord(one) ? one['image'] : undefined;
      return typeof image === 'string' && image !== '' ? [image] : [];
    }),
  );
}

/** An image without registry host, tag and digest: a mirror has another host. */
function repositoryOf(reference: string): string {
  const name = reference.split('@')[0]?.replace(/:[^:/]*$/, '') ?? '';
  const [host = '', ...rest] = name.split('/');
  return rest.length > 0 && (host.includes('.') || host.includes(':')) ? rest.join('/') : name;
}

function recordAt(value: unknown, key: string): Readonly<Record<string, unknown>> {
  const found = isRecord(value) ? value[key] : undefined;
  return isRecord(found) ? found : {};
}

/**
 * An artifact by its location and what identifies its content: `registry.example/x:v1@sha256:…`, or
 * that it has no digest.
 */
export function artifactText({ uri, digest }: Artifact): string {
  if (digest === undefined) return `${uri} (no digest)`;
  return uri.endsWith(`@${digest}`) ? uri : `${uri}@${digest}`;
}
