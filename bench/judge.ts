import type { ClusterInfo } from '@isthmus/api';
import { withinGrant, withoutGrant } from '@isthmus/wire';
import type { Figure } from './report.ts';
import { percentile } from './statistics.ts';

const runs = 5;
const [clusters, ranges] = [200, 64];

/** What a leader does of each announced network before it publishes any. */
export function measureJudge(note: (figure: Figure) => void): void {
  const networks = Array.from({ length: clusters }, (_, cluster) => networkOf(cluster));
  const timed = (judged: readonly ClusterInfo[]) => {
    const startMs = performance.now();
    for (const network of judged) {
      const { asked } = withinGrant(network, withoutGrant, undefined);
      if (asked.pods.length > 0) throw new Error('the judge holds a private range');
    }
    return performance.now() - startMs;
  };
  const first = timed(networks);
  const all = percentile(
    Array.from({ length: runs }, () => timed(networks)),
    0.5,
  );
  const one = percentile(
    networks.slice(0, 50).map((network) => timed([network])),
    0.5,
  );
  note({
    row: 'judge',
    what: `the networks of ${clusters} clusters with ${ranges} Pod CIDRs each, median of ${runs}`,
    value: `${all.toFixed(0)} ms (the first time in a process ${first.toFixed(0)} ms)`,
    goal: 'under 50 ms',
    met: all < 50,
    data: { first, all },
  });
  note({
    row: 'judge',
    what: 'one of them, median of 50',
    value: `${one.toFixed(2)} ms`,
    goal: 'under 1 ms',
    met: one < 1,
    data: { one },
  });
}

function networkOf(cluster: number): ClusterInfo {
  const podCIDRs = Array.from({ length: ranges }, (_, n) => `10.${cluster}.${n}.0/24`);
  const gatewayInfos = [{ gatewayIP: `192.0.2.${cluster}` }];
  return { clusterID: `cluster-${cluster}`, serviceCIDR: `172.16.${cluster}.0/24`, gatewayInfos, podCIDRs };
}
