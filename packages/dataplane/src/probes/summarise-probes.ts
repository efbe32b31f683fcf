import type { ClusterProbes } from '@isthmus/api';
import { mostProbedClusters, mostSilentAddresses } from '@isthmus/api';
import type { GatewayReport } from './gateway-record.ts';

const roundTripSteps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000];
const lossSteps = [5, 20, 50, 100];
/**
 * A measure must leave its step by this share before another step is reported. A measure near a
 * limit therefore reports no changes.
 */
const slack = 0.2;

/**
 * The results of the probes of this Node for each other cluster, in steps. A network without
 * changes gives the same summary again and again. Remembers the last steps.
 */
export function createProbeSummary(): (reports: readonly GatewayReport[]) => readonly ClusterProbes[] {
  let before: ReadonlyMap<string, ClusterProbes> = new Map();
  return (reports) => {
    const of = Map.groupBy(reports, ({ gateway }) => gateway.clusterID);
    const clusters = [...of]
      .flatMap(([clusterID, own]) =>
        clusterID === undefined ? [] : [summaryOf(clusterID, own, before.get(clusterID))],
      )
      .toSorted((a, b) => (a.clusterID < b.clusterID ? -1 : 1))
      .slice(0, mostProbedClusters);
    before = new Map(clusters.map((one) => [one.clusterID, one]));
    return clusters;
  };
}

function summaryOf(
  clusterID: string,
  reports: readonly GatewayReport[],
  before: ClusterProbes | undefined,
): ClusterProbes {
  const alive = reports.filter(({ state }) => state === 'alive');
  const dead = reports.filter(({ state }) => state === 'dead');
  const roundTrips = alive.flatMap(({ typicalRoundTripMs: ms }) => (ms === undefined ? [] : [ms]));
  const loss = alive.length === 0 ? 1 : Math.max(...alive.map((one) => one.loss));
  return {
    clusterID,
    answering: alive.length,
    silent: dead.length,
    gateways: reports.length,
    roundTripMs:
      roundTrips.length === 0 ? undefined : stepOf(Math.max(...roundTrips), roundTripSteps, before?.roundTripMs),
    lossPercent: alive.length === 0 ? 100 : stepOf(loss * 100, lossSteps, before?.lossPercent),
    silentAddresses: dead
      .map(({ gateway }) => gateway.underlay)
      .toSorted()
      .slice(0, mostSilentAddresses),
  };
}

/**
 * The first step that is not less than a measure. It remains the previous step while the measure is
 * near it.
 */
function stepOf(measure: number, steps: readonly number[], before: number | undefined): number {
  const at = before === undefined ? -1 : steps.indexOf(before);
  const kept = steps[at];
  const below = steps[at - 1] ?? 0;
  if (kept !== undefined && measure <= kept * (1 + slack) && (below === 0 || measure > below * (1 - slack)))
    return kept;
  return steps.find((step) => measure <= step) ?? steps.at(-1) ?? 0;
}
