import { isRecord } from '@isthmus/machinery';
import type { Problem } from '../../read/problem.ts';
import type { ReadArtifact } from './eksa-artifacts.ts';
import { artifactsIn } from './eksa-artifacts.ts';
import type { EksaSection } from './sections.ts';
import { eksaSections, kubernetesParts } from './sections.ts';

/** A component as our bundles write it, and where it was read from. */
export interface ReadComponent {
  readonly written: Readonly<Record<string, unknown>> & { readonly id: string };
  readonly management: boolean;
  readonly artifacts: readonly ReadArtifact[];
  readonly path: string;
}

export type Refuse = (path: string, message: string) => Problem;

/**
 * The components of one versions bundle, in the order of our table; problems with sections that are
 * not as they must be.
 */
export function componentsIn(
  versions: Readonly<Record<string, unknown>>,
  path: string,
  refuse: Refuse,
): { readonly components: readonly ReadComponent[]; readonly problems: readonly Problem[] } {
  const components: ReadComponent[] = [];
  const problems: Problem[] = [];
  for (const [name, section] of Object.entries(eksaSections)) {
    const value = versions[name];
    if (value === undefined || value === null) continue;
    const at = `${path}.${name}`;
    const read = isRecord(value) ? componentOf(section, value, { path: at, versions }) : 'expected an object';
    if (typeof read === 'string') problems.push(refuse(at, read));
    else components.push(read);
  }
  const distro = versions['eksD'];
  if (isRecord(distro)) components.push(...kubernetesOf(distro, `${path}.eksD`));
  else if (distro !== undefined) problems.push(refuse(`${path}.eksD`, 'expected an object'));
  return { components, problems };
}

function componentOf(
  section: EksaSection,
  value: Readonly<Record<string, unknown>>,
  { path, versions }: { readonly path: string; readonly versions: Readonly<Record<string, unknown>> },
): ReadComponent | string {
  const { version } = value;
  if (typeof version !== 'string' || version === '')
    return 'its version is missing: expected a string such as v1.13.2+a34c207';
  const artifacts = artifactsIn(value, path);
  const { id, type, displayName, method, management, scheme, optional = false, follows = '' } = section;
  const first = isOn(versions[follows]) ? eksaSections[follows]?.id : undefined;
  return {
    written: {
      id,
      ...(type !== undefined && { type }),
      displayName,
      ...(management && { roles: ['management'] }),
      ...(optional && { optional }),
      version: { ...splitVersion(version), scheme },
      artifacts: artifacts.map(writtenArtifact),
      method,
      ...(first !== undefined && { requires: [{ component: first }] }),
    },
    management,
    artifacts,
    path,
  };
}

/** Whether a section exists and is not switched off. */
function isOn(section: unknown): boolean {
  const version = isRecord(section) ? section['version'] : undefined;
  return typeof version === 'string' && version !== 'deprecated' && !version.startsWith('<');
}

/**
 * Kubernetes in EKS Distro. EKS Anywhere distinguishes its releases by their name,
 * `kubernetes-1-31-eks-8` (docs/spec/upgrades.md §1.1). The name becomes the build here, and its
 * last number the sequence. If the section has no version of Kubernetes, only the name is known.
 */
function kubernetesOf(distro: Readonly<Record<string, unknown>>, path: string): readonly ReadComponent[] {
  const { name, kubeVersion } = distro;
  const build = typeof name === 'string' && /^[0-9a-z][-+.0-9a-z]*$/.test(name) ? name : undefined;
  const [, counted] = /-eks-(\d{1,9})$/.exec(build ?? '') ?? [];
  const version =
    typeof kubeVersion === 'string' && kubeVersion !== ''
      ? {
          upstream: kubeVersion,
          ...(build !== undefined && { build }),
          ...(counted !== undefined && { sequence: Number(counted) }),
        }
      : { upstream: build ?? 'deprecated', scheme: 'opaque' };
  // They are one release: the first has the artifacts.
  return kubernetesParts.map(({ id, scope }, index) => {
    const artifacts = index === 0 ? artifactsIn(distro, path) : [];
    const written = {
      id,
      unit: 'kubernetes',
      scope,
      version,
      artifacts: artifacts.map(writtenArtifact),
      method: 'kubernetes',
    };
    return { written, management: false, artifacts, path };
  });
}

/**
 * `v1.13.2+a34c207` in its two parts; a build that ours cannot be stays with the version, where the
 * lint names it.
 */
function splitVersion(text: string): { readonly upstream: string; readonly build?: string } {
  const plus = text.indexOf('+');
  const build = text.slice(plus + 1);
  if (plus <= 0 || !/^[0-9a-z][-+.0-9a-z]*$/.test(build)) return { upstream: text };
  return { upstream: text.slice(0, plus), build };
}

function writtenArtifact({ name, kind, uri, digest }: ReadArtifact): object {
  return { name, kind, uri, ...(digest !== undefined && { digest }) };
}
