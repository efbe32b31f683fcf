import { isRecord } from '@isthmus/machinery';
import type { KubernetesObject } from '@isthmus/machinery';
import type { UnfollowedLink } from '../../world/list-files.ts';
import type { ShownFinding } from '../output/shown-finding.ts';
import type { PlacedObject } from './placed-object.ts';

/**
 * A document of a folder that is not a Kubernetes object: values of a chart, a template, a
 * configuration file.
 */
export function foreignDocument(problem: string): ShownFinding {
  const [, place = '', why = problem] = /^(\S+?:\d+)(?::\d+)?: ([^]*)$/.exec(problem) ?? [];
  return {
    rule: 'file.not-checked',
    severity: 'warn',
    ...(place !== '' && { place }),
    subject: {},
    why: `not checked, because it is not a Kubernetes object: ${why}`,
    unblock: 'correct it, or keep it outside the folder of manifests',
  };
}

/** Whether a text that is not valid YAML is a template, such as of a Helm chart. */
export function isTemplate(text: string): boolean {
  return text.includes('{{');
}

/** A template of a folder. */
export function template(file: string): ShownFinding {
  return {
    rule: 'file.not-checked',
    severity: 'warn',
    place: file,
    subject: {},
    why: 'not checked, because it is a template and not YAML',
    unblock: 'check its rendered output, such as that of `helm template`',
  };
}

/** A file of a folder that is not text in UTF-8. */
export function otherEncoding(file: string): ShownFinding {
  return {
    rule: 'file.not-checked',
    severity: 'warn',
    place: file,
    subject: {},
    why: 'not checked, because it is not text in UTF-8',
    unblock: 'save it in UTF-8, or keep it outside the folder of manifests',
  };
}

/** A link of a folder that leads out of it, or nowhere. */
export function unfollowedLink({ path, to }: UnfollowedLink): ShownFinding {
  const where = to === 'nothing' ? 'nothing' : `a ${to} outside the folder`;
  return {
    rule: 'file.not-checked',
    severity: 'warn',
    place: path,
    subject: {},
    why: `not checked, because it is a link to ${where}`,
    unblock: to === 'nothing' ? 'correct the link, or remove it' : `pass the ${to} that it leads to by its own path`,
  };
}

/**
 * A key that a document has twice, often because the line `---` between two documents is missing.
 */
export function repeatedKey(source: string, key: string, line: number): ShownFinding {
  return {
    rule: 'file.repeated-key',
    severity: 'warn',
    place: `${source}:${line}`,
    subject: {},
    why: `the key ${key} occurs twice: kubectl uses the last one and ignores the other`,
    unblock: 'remove one of them, or put the line `---` between two documents',
  };
}

/** Whether an object is only a part of a CRD, for example a patch of Kustomize. */
export function isPartOfDefinition({ apiVersion, kind, ...object }: KubernetesObject): boolean {
  if (kind !== 'CustomResourceDefinition' || apiVersion?.startsWith('apiextensions.k8s.io/') !== true) return false;
  const spec: unknown = 'spec' in object ? object.spec : undefined;
  return !isRecord(spec) || (spec['group'] === undefined && spec['names'] === undefined);
}

/** A part of a CRD in a folder. */
export function partOfDefinition({ metadata }: KubernetesObject, place: string): ShownFinding {
  return {
    rule: 'file.not-checked',
    severity: 'warn',
    place,
    subject: { object: metadata.name },
    why: 'not checked, because it has no group and no names: it is a part of a CRD, such as a patch of Kustomize',
    unblock: 'check the whole CRD, such as in the output of `kubectl kustomize`',
  };
}

const formerVersion = 'apiextensions.k8s.io/v1beta1';

/** Whether an object is a CRD of the API version that Kubernetes 1.22 removed. */
export function isFormerDefinition({ object: { apiVersion, kind } }: PlacedObject): boolean {
  return kind === 'CustomResourceDefinition' && apiVersion === formerVersion;
}

/**
 * CRDs that are to be applied in the API version that Kubernetes 1.22 removed. `server` is the
 * oldest minor, if it is known.
 */
export function formerDefinitions(objects: readonly PlacedObject[], server?: string): readonly ShownFinding[] {
  const [major = 1, minor = 22] = (server ?? '1.22').replace(/^v/, '').split('.').map(Number);
  const isRemoved = major > 1 || minor >= 22;
  return objects.filter(isFormerDefinition).map(({ object, place }) => ({
    rule: 'crd.v1beta1',
    severity: isRemoved ? 'block' : 'warn',
    place,
    subject: { object: object.metadata.name },
    why: `it is a CRD of ${formerVersion}, which Kubernetes removed in 1.22${isRemoved ? ': API servers reject it' : ''}; it is not checked`,
    unblock: 'convert it to apiextensions.k8s.io/v1',
    source: 'Kubernetes',
  }));
}

/** CRDs that are given as live in that API version. */
export function formerLiveDefinitions(objects: readonly PlacedObject[]): readonly ShownFinding[] {
  return objects.filter(isFormerDefinition).map(({ object, place }) => ({
    rule: 'crd.v1beta1',
    severity: 'warn',
    place,
    subject: { object: object.metadata.name },
    why: `the live CRD is given as ${formerVersion}, so the two are not compared`,
    unblock: `pass the CRD of the API server: kubectl get crd ${object.metadata.name} -o yaml`,
  }));
}
