import { isDisabled, placedComponents } from '@isthmus/upgrade';
import type { Artifact, ComponentBundle, Finding } from '@isthmus/upgrade';

/** A file that a bundle names with a digest, and the place of the name. */
export interface NamedFile {
  readonly artifact: Artifact;
  readonly digest: string;
  /** ID of the component. */
  readonly component: string;
  /** `spec.components[2].artifacts[0]`. */
  readonly path: string;
}

/**
 * The artifacts with a digest whose content is a file, in the order of the bundle; those of
 * components that are switched off have none.
 */
export function namedFiles(bundle: ComponentBundle): readonly NamedFile[] {
  return placedComponents(bundle)
    .filter(({ component }) => !isDisabled(component))
    .flatMap(({ component, path }) =>
      component.artifacts.flatMap((artifact, index) => {
        const { digest } = artifact;
        if (digest === undefined || !(isManifest(artifact) || isProgramOrChart(artifact))) return [];
        return [{ artifact, digest, component: component.id, path: `${path}.artifacts[${index}]` }];
      }),
    );
}

/**
 * Findings for files beside a bundle that it names with different digests, of which at most one can
 * be right: one for each digest after the first.
 */
export function contradictoryDigests(files: readonly NamedFile[]): readonly Finding[] {
  const first = new Map<string, NamedFile>();
  const found = new Set<string>();
  return files
    .filter(({ artifact }) => isFileBeside(artifact))
    .flatMap((file) => {
      const { digest, component, path } = file;
      const { uri } = file.artifact;
      const earlier = first.get(uri);
      if (earlier === undefined) first.set(uri, file);
      if (earlier === undefined || earlier.digest === digest || found.has(`${digest} ${uri}`)) return [];
      found.add(`${digest} ${uri}`);
      return [
        {
          rule: 'bundle.digest',
          severity: 'block',
          subject: { component, path: `${path}.digest` },
          why: `${JSON.stringify(uri)} has two digests in the bundle: ${digest} here, and ${earlier.digest} in ${earlier.path}`,
          unblock: 'fetch the bundle again from its publisher, or have it corrected',
        } as const,
      ];
    });
}

/** Whether the content of an artifact is objects of Kubernetes. */
export function isManifest({ kind }: Artifact): boolean {
  return kind === 'manifest' || kind === 'crdset';
}

/** Whether an artifact is a file that is not read, but only compared with its digest. */
export function isProgramOrChart({ kind }: Artifact): boolean {
  return kind === 'binary' || kind === 'chart';
}

/**
 * Whether an artifact is named by a path, and not by an address. The name of an image is neither.
 */
export function isFileBeside({ uri }: Artifact): boolean {
  return !/^[a-z][-+.a-z0-9]*:\/\//i.test(uri);
}
