import type { KnownCluster } from '@isthmus/api';
import { mostGrantedRanges } from '@isthmus/api';
import type { GrantField } from '@isthmus/wire';
import { grantFields, readGrant, unusual } from '@isthmus/wire';
import { cidrText, overlaps, parseCidr } from '@isthmus/machinery';

/** The ranges that flags name; a field that is absent was not named. */
export type AskedRanges = { readonly [Field in GrantField]?: readonly string[] | undefined };

/** How the KnownCluster of a cluster changes. */
export type GrantDecision =
  | { readonly kind: 'create' | 'change'; readonly spec: KnownCluster['spec'] }
  | { readonly kind: 'keep' }
  /** Nothing is known of the cluster, and the ranges of `lacks` were not named. */
  | { readonly kind: 'incomplete'; readonly lacks: readonly GrantField[] }
  /** Other ranges are granted or in use: lines that show which. */
  | { readonly kind: 'differs'; readonly differences: readonly string[] };

export interface GrantInput {
  readonly clusterID: string;
  readonly known: KnownCluster | undefined;
  readonly asked: AskedRanges;
  /** Whether ranges that differ are replaced. */
  readonly replace: boolean;
}

/**
 * Decides what is granted to a cluster. Ranges that were granted, or that the leader has observed
 * in use, do not change unless that is asked for.
 */
export function decideGrant({ clusterID, known, asked, replace }: GrantInput): GrantDecision {
  const named = Object.fromEntries(grantFields.flatMap((field) => (asked[field] ? [[field, asked[field]]] : [])));
  const granted = { clusterID, origin: 'Granted', state: 'Accepted' } as const;
  if (known === undefined) {
    // Without a list, a cluster could announce any private range.
    const lacks = (['pods', 'services'] as const).filter((field) => asked[field] === undefined);
    return lacks.length > 0 ? { kind: 'incomplete', lacks } : { kind: 'create', spec: { ...granted, ...named } };
  }
  if (Object.keys(named).length === 0) return { kind: 'keep' };
  const differences = differencesOf(known.spec, asked);
  if (differences.length > 0 && !replace) return { kind: 'differs', differences };
  const isGranted = known.spec.origin !== 'Observed' && known.spec.state !== 'Held' && known.spec.state !== 'Refused';
  if (differences.length === 0 && isGranted) return { kind: 'keep' };
  return { kind: 'change', spec: { ...known.spec, ...granted, ...named } };
}

/**
 * What in a grant may not be meant: ranges that no cluster has without a name, and Pod CIDRs that
 * are granted to another cluster, too. Each is a sentence.
 */
export function grantWarnings(spec: KnownCluster['spec'], others: readonly KnownCluster[]): readonly string[] {
  const unusualRanges = [...(spec.pods ?? []), ...(spec.services ?? [])].flatMap((text) => {
    const range = parseCidr(text);
    const why = range && unusual(range);
    return why === undefined ? [] : [`Check that ${text} is meant: it ${why}.`];
  });
  const { pods = [] } = readGrant({ spec });
  const twice = others.flatMap((other) => {
    const { isByPerson, state, pods: theirs = [] } = readGrant(other);
    if (!isByPerson || state === 'Refused' || other.spec.clusterID === spec.clusterID) return [];
    return pods
      .filter((one) => theirs.some((their) => overlaps(one, their)))
      .map(
        (one) =>
          `Pod CIDR ${cidrText(one)} overlaps with one that is granted to cluster ${other.spec.clusterID}. If both announce it, and the leader has no virtualPodCIDRs, the cluster that is published first has it.`,
      );
  });
  return [...unusualRanges, ...twice];
}

function differencesOf(spec: KnownCluster['spec'], asked: AskedRanges): readonly string[] {
  return grantFields.flatMap((field) => {
    const [before, after] = [spec[field], asked[field]];
    if (after === undefined || sortedText(before) === sortedText(after)) return [];
    return [`${field}: ${before === undefined ? 'any' : before.join(', ') || 'none'} -> ${after.join(', ')}`];
  });
}

function sortedText(ranges: readonly string[] | undefined): string | undefined {
  return ranges
    ?.map((text) => {
      const range = parseCidr(text);
      return range === undefined ? text : cidrText(range);
    })
    .toSorted()
    .join();
}

/** Reads a list of ranges. Errors: throws with the form that they must have. */
export function readRanges(text: string): readonly string[] {
  const ranges = text.split(',').map((one) => one.trim());
  const wrong = ranges.find((one) => parseCidr(one) === undefined);
  if (wrong !== undefined) throw new Error(`${JSON.stringify(wrong)} is not a range such as 10.10.0.0/16`);
  if (ranges.length > mostGrantedRanges) throw new Error(`It has more than ${mostGrantedRanges} ranges.`);
  return ranges.flatMap((one) => {
    const range = parseCidr(one);
    return range === undefined ? [] : [cidrText(range)];
  });
}
