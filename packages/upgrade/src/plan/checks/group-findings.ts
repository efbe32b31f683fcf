import { canonicalJson } from '@isthmus/machinery';
import type { Finding } from '../../finding.ts';

/**
 * A finding with all its clusters, bytewise: one, many, or none if it is about the fleet.
 * `subject.cluster` is present if there is only one.
 */
export type GroupedFinding<F extends Finding = Finding> = F & { readonly clusters: readonly string[] };

/**
 * Groups findings that hold for many clusters. Findings are grouped if they differ only in the name
 * of their cluster, either in the subject or in a sentence with `(cluster east)`; the group's
 * sentence leaves out these words. Findings that name Nodes or values of a cluster are not grouped.
 */
export function groupFindings<F extends Finding>(findings: readonly F[]): readonly GroupedFinding<F>[] {
  const groups = Map.groupBy(findings, (one) => canonicalJson(withoutCluster(one)));
  return [...groups.values()].flatMap((some): readonly GroupedFinding<F>[] => {
    const [first] = some;
    if (first === undefined) return [];
    const clusters = [...new Set(some.flatMap(({ subject }) => subject.cluster ?? []))].toSorted();
    return [{ ...(clusters.length > 1 ? withoutCluster(first) : first), clusters }];
  });
}

function withoutCluster<F extends Finding>(finding: F): F {
  const { cluster, ...subject } = finding.subject;
  if (cluster === undefined) return finding;
  const shorn = (text: string) => text.replaceAll(` (cluster ${cluster})`, '');
  const { why, unblock } = finding;
  return { ...finding, subject, why: shorn(why), ...(unblock !== undefined && { unblock: shorn(unblock) }) };
}
