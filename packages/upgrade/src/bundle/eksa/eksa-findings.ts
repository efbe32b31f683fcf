import type { Found } from '../lint/lint-context.ts';
import type { ReadComponent } from './eksa-components.ts';
import { isRecord } from '@isthmus/machinery';
import { eksaGroup } from './eksa-names.ts';

const source = 'EKS Anywhere, release manifests (docs/spec/upgrades.md §1.1)';

/**
 * The findings of one file about facts that the format of EKS Anywhere does not contain or protect.
 */
export function bundlesFindings(
  document: Readonly<Record<string, unknown>>,
  components: readonly ReadComponent[],
): readonly Found[] {
  return [...signature(document), ...withoutDigest(components), ...commandLine(document)];
}

/**
 * Its digest is taken after leaving out every section of a component: a changed image would pass.
 */
function signature({ metadata }: Readonly<Record<string, unknown>>): readonly Found[] {
  const annotations = isRecord(metadata) && isRecord(metadata['annotations']) ? metadata['annotations'] : {};
  const isSigned = typeof annotations[`${eksaGroup}/signature`] === 'string';
  return [
    {
      rule: 'eksa.signature',
      severity: 'warn',
      subject: { path: isSigned ? `metadata.annotations[${eksaGroup}/signature]` : 'metadata.annotations' },
      why: isSigned
        ? 'its signature covers kubeVersion, eksD and endOfStandardSupport, and leaves out every other component: it does not cover their images and is not verified'
        : 'the bundle is not signed, so its contents cannot be verified',
      unblock:
        'check where it came from, print it as a ComponentBundle with `isthmus upgrade bundle show -o yaml`, and sign that',
      source,
    },
  ];
}

function withoutDigest(components: readonly ReadComponent[]): readonly Found[] {
  const bare = components.flatMap(({ artifacts }) => artifacts.filter((one) => one.digest === undefined));
  const [first] = bare;
  if (first === undefined) return [];
  return [
    {
      rule: 'eksa.no-digest',
      severity: 'warn',
      subject: { path: first.path },
      why: `${bare.length} of its artifacts have a location but no digest, such as ${first.name}: the content at the location may change`,
      unblock: 'print it as a ComponentBundle with their digests: `isthmus upgrade bundle resolve`',
      source,
    },
  ];
}

function commandLine({ spec }: Readonly<Record<string, unknown>>): readonly Found[] {
  const { cliMinVersion, cliMaxVersion } = isRecord(spec) ? spec : {};
  if (cliMinVersion === undefined && cliMaxVersion === undefined) return [];
  return [
    {
      rule: 'eksa.cli-version',
      severity: 'info',
      subject: { path: cliMinVersion === undefined ? 'spec.cliMaxVersion' : 'spec.cliMinVersion' },
      why: `it is for the command line of EKS Anywhere from ${textOf(cliMinVersion)} to ${textOf(cliMaxVersion)}; it has no version range for isthmus`,
      source,
    },
  ];
}

function textOf(version: unknown): string {
  return typeof version === 'string' && version !== '' ? version : 'any';
}
