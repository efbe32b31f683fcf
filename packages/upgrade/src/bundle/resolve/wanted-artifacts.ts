import type { Artifact } from '../component.ts';
import type { ComponentBundle } from '../component-bundle.ts';
import { isDisabled, placedComponents } from '../components-of.ts';
import type { ImageReference } from './image-reference.ts';
import { parseImageReference } from './image-reference.ts';

/** The source of the content of an artifact. */
export type ArtifactSource =
  | { readonly kind: 'image'; readonly reference: ImageReference }
  | { readonly kind: 'url'; readonly url: URL }
  /** In the folder of the bundle. */
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'unknown'; readonly problem: string };

/** A location that a bundle names, and each artifact that has it. */
export interface WantedArtifact {
  readonly uri: string;
  readonly source: ArtifactSource;
  readonly places: readonly ArtifactPlace[];
}

/** One artifact in a bundle. */
export interface ArtifactPlace {
  readonly component: string;
  readonly name: string;
  /** `spec.components[2].artifacts[0]`. */
  readonly path: string;
  readonly digest?: string | undefined;
}

/**
 * The locations of the artifacts that have no digest, each once, bytewise; with `isAll` those of
 * all artifacts. Components that are switched off have no content.
 */
export function wantedArtifacts(
  bundle: ComponentBundle,
  { isAll }: { readonly isAll: boolean },
): readonly WantedArtifact[] {
  const byUri = new Map<string, { readonly source: ArtifactSource; readonly places: ArtifactPlace[] }>();
  for (const { component, path } of placedComponents(bundle)) {
    if (isDisabled(component)) continue;
    for (const [index, artifact] of component.artifacts.entries()) {
      const { uri, name, digest } = artifact;
      if (digest !== undefined && !isAll) continue;
      const place = { component: component.id, name, path: `${path}.artifacts[${index}]`, digest };
      const known = byUri.get(uri);
      if (known === undefined) byUri.set(uri, { source: sourceOf(artifact), places: [place] });
      else known.places.push(place);
    }
  }
  return [...byUri]
    .map(([uri, { source, places }]) => ({ uri, source, places }))
    .toSorted((a, b) => (a.uri < b.uri ? -1 : 1));
}

function sourceOf({ kind, uri }: Artifact): ArtifactSource {
  const [, scheme] = /^([a-z][-+.a-z0-9]*):\/\//i.exec(uri) ?? [];
  if (scheme !== undefined && scheme !== 'oci') return urlSource(uri, scheme);
  if (kind === 'image' || kind === 'chart' || scheme === 'oci') {
    const reference = parseImageReference(uri);
    return 'problem' in reference
      ? { kind: 'unknown', problem: `it is not an image reference: ${reference.problem}` }
      : { kind: 'image', reference };
  }
  return { kind: 'file', path: uri };
}

function urlSource(uri: string, scheme: string): ArtifactSource {
  if (scheme.toLowerCase() !== 'https' || !URL.canParse(uri)) {
    return {
      kind: 'unknown',
      problem: 'its location is not an https URL, an image reference, or a file beside the bundle',
    };
  }
  const url = new URL(uri);
  return url.username + url.password === ''
    ? { kind: 'url', url }
    : { kind: 'unknown', problem: 'its URL contains a user name or password, which are not supported' };
}
