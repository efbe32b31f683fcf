import { equal } from '@isthmus/machinery';
import { fieldErrorBody, formatCheck } from '@isthmus/schema';
import { upgradeGroup, upgradeVersion } from '../../file-kind.ts';
import type { Problem, WrittenFile } from '../../read/problem.ts';
import type { ComponentBundle } from '../component-bundle.ts';
import { componentBundle } from '../component-bundle.ts';
import type { Found } from '../lint/lint-context.ts';
import type { ReadComponent } from './eksa-components.ts';
import { isRecord } from '@isthmus/machinery';
import { componentsIn } from './eksa-components.ts';
import { bundlesFindings } from './eksa-findings.ts';
import { originsOf } from './eksa-origins.ts';
import { eksaGroup, eksaChannel } from './eksa-names.ts';

/** A bundle that was made of another format. */
export interface ConvertedBundle {
  readonly bundle: ComponentBundle;
  /** The bundle as a file of ours: its digest is computed from this. */
  readonly written: WrittenFile;
  /** The findings about facts that the other format lacks. Their paths are those of the file. */
  readonly findings: readonly Found[];
  /** The path in the file, of a path in the bundle. */
  readonly originOf: (path: string) => string;
}

export interface ConversionContext {
  readonly source: string;
  /** The line of a path of the file. */
  readonly lineOf: (path: string) => number;
  /** RFC 3339: the time of the release, from its Release; the format itself does not contain it. */
  readonly createdAt?: string | undefined;
}

/** Whether a document is of the kind `Bundles` of EKS Anywhere. */
export function isEksaBundles(value: unknown): boolean {
  return isRecord(value) && String(value['apiVersion']).startsWith(`${eksaGroup}/`) && value['kind'] === 'Bundles';
}

/**
 * Reads a `Bundles` of EKS Anywhere as a bundle of ours (docs/spec/upgrades.md §1.1). Parts of the
 * management cluster come from the first versions bundle, as in EKS Anywhere; the lint rejects a
 * later one with other parts. Fields without a counterpart here are ignored. Never throws for the
 * content of the document.
 */
export function readEksaBundles(
  document: unknown,
  context: ConversionContext,
): ({ readonly kind: 'read' } & ConvertedBundle) | { readonly kind: 'refused'; readonly problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const refuse = (path: string, message: string): Problem => ({
    source: context.source,
    line: context.lineOf(path),
    path,
    message,
  });
  const spec = isRecord(document) ? document['spec'] : undefined;
  const entries = isRecord(spec) ? spec['versionsBundles'] : undefined;
  if (!Array.isArray(entries) || entries.length === 0) {
    const message = 'Required value: a list with one entry for each Kubernetes minor';
    return { kind: 'refused', problems: [refuse('spec.versionsBundles', message)] };
  }
  const shared: ReadComponent[] = [];
  const perMinor = new Map<string, { readonly endOfSupport: unknown; readonly components: readonly ReadComponent[] }>();
  for (const [index, entry] of (entries as readonly unknown[]).entries()) {
    const path = `spec.versionsBundles[${index}]`;
    const minor = isRecord(entry) ? entry['kubeVersion'] : undefined;
    if (!isRecord(entry) || typeof minor !== 'string' || !minorPattern.test(minor)) {
      problems.push(
        refuse(`${path}.kubeVersion`, 'expected the minor of Kubernetes in quotation marks, such as "1.31"'),
      );
    } else if (perMinor.has(minor)) {
      problems.push(refuse(`${path}.kubeVersion`, `Duplicate value: "${minor}"`));
    } else {
      const read = componentsIn(entry, path, refuse);
      const endOfSupport = entry['endOfStandardSupport'];
      problems.push(...read.problems);
      if (endOfSupport !== undefined && !(typeof endOfSupport === 'string' && formatCheck('date')?.(endOfSupport)))
        problems.push(refuse(`${path}.endOfStandardSupport`, 'expected a date such as 2026-12-26'));
      if (index === 0) shared.push(...read.components.filter(({ management }) => management));
      const own = read.components.filter((one) => !one.management || differsFrom(shared, one));
      perMinor.set(minor, { endOfSupport, components: own });
    }
  }
  if (problems.length > 0) return { kind: 'refused', problems };

  const written = writtenBundle(document, shared, perMinor, context.createdAt);
  const { value, unknownFields, errors } = componentBundle.decode(written);
  const originOf = originsOf(shared, perMinor);
  if (errors.length > 0 || unknownFields.length > 0) {
    const reported = errors.map((error) => refuse(originOf(error.path), fieldErrorBody(error)));
    return { kind: 'refused', problems: reported };
  }
  const findings = bundlesFindings(document as Readonly<Record<string, unknown>>, [
    ...shared,
    ...[...perMinor.values()].flatMap(({ components }) => components),
  ]);
  return { kind: 'read', bundle: value, written: { json: written }, findings, originOf };
}

const minorPattern = /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)$/;

function differsFrom(shared: readonly ReadComponent[], one: ReadComponent): boolean {
  const first = shared.find(({ written }) => written.id === one.written.id);
  return first === undefined || !equal(first.written, one.written);
}

function writtenBundle(
  document: unknown,
  shared: readonly ReadComponent[],
  perMinor: ReadonlyMap<string, { readonly endOfSupport: unknown; readonly components: readonly ReadComponent[] }>,
  createdAt = '1970-01-01T00:00:00Z',
): object {
  const { metadata, spec } = document as Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;
  const perKubernetes = [...perMinor].map(([minor, { endOfSupport, components }]) => [
    minor,
    { ...(endOfSupport !== undefined && { endOfSupport }), components: components.map((one) => one.written) },
  ]);
  return {
    apiVersion: `${upgradeGroup}/${upgradeVersion}`,
    kind: 'ComponentBundle',
    metadata: { name: metadata?.['name'] },
    spec: {
      number: spec?.['number'],
      channel: eksaChannel,
      createdAt,
      components: shared.map((one) => one.written),
      perKubernetes: Object.fromEntries(perKubernetes) as object,
    },
  };
}
