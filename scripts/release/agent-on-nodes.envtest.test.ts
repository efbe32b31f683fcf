import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { laterNftFolder } from '@isthmus/dataplane';
import { missingForNodes } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MatrixClusters } from '../matrix/matrix-clusters.ts';
import { startMatrixClusters } from '../matrix/matrix-clusters.ts';
import type { Outcome } from '../matrix/report.ts';
import { failureLines } from '../matrix/report.ts';
import { builtRelease } from './testing/built-release.ts';

const missing = missingForNodes(process.env);
if (missing.length > 0) console.log(`skipped, as this machine cannot run nodes: ${missing.join('; ')}`);
const isSkipped = missing.length > 0;

/**
 * Clusters whose Pods have no routes to each other: agents alone carry their packets, beside the
 * CNI bridge, which masquerades, and kube-proxy. Two of them have the same Pod CIDRs.
 * `npm run matrix` sends the same packets in all configurations (docs/matrix.md).
 */
describe.skipIf(isSkipped)('the agents of a release on real Nodes', () => {
  const folder = isSkipped ? '' : mkdtempSync(join(tmpdir(), 'isthmus-agent-on-nodes-'));
  let dist: string;
  let started: MatrixClusters | undefined;
  const clusters = () => started ?? expect.fail('the clusters did not start');
  /** The outcomes that differ from the expected ones. */
  const failures = (outcomes: readonly Outcome[]) => ({
    some: outcomes.length > 0,
    failures: failureLines(outcomes),
  });
  const none = { some: true, failures: [] };

  beforeAll(async () => {
    dist = await builtRelease(folder);
  });

  afterAll(async () => {
    await started?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  it('are Ready on every Node from the manifest and the image as they are', async () => {
    started = await startMatrixClusters({
      dist,
      kubeProxy: { north: 'nftables', east: 'iptables', west: 'nftables' },
      endpointIPType: 'PodIP',
      say: () => {},
    });
  });

  it('carry the packets of Pods and Nodes of one cluster to Pods of the other, wherever both run', async () => {
    expect(failures(await clusters().measure())).toEqual(none);
  });

  it('are replaced one after the other, as an upgrade does, and no call fails meanwhile', async () => {
    const over = new AbortController();
    const outcomes: Outcome[] = [];
    const calling = (async () => {
      while (!over.signal.aborted) outcomes.push(...(await clusters().send()));
    })();
    try {
      for (const member of clusters().members) {
        await member.kubectl(['rollout', 'restart', 'daemonset/isthmus-agent', '-n', 'kube-system']);
        await member.rolledOut('daemonset/isthmus-agent', 'kube-system');
      }
    } finally {
      over.abort();
      await calling;
    }
    expect(failures(outcomes)).toEqual(none);
  });

  it('are Ready on Nodes where a later nft has written sets, on which theirs crashes, report that, and carry the same packets', async () => {
    const [, east] = clusters().members;
    if (east === undefined) expect.fail('there is no member east');
    const later = [`${laterNftFolder}/ld.so`, '--library-path', laterNftFolder, `${laterNftFolder}/nft`];
    const onEachNode = async (...command: readonly string[]) => {
      const pods = await east.kubectl([
        'get',
        'pods',
        '-n',
        'kube-system',
        '-l',
        'component=isthmus-agent',
        '-o',
        'name',
      ]);
      const names = pods.trim().split('\n');
      return Promise.all(names.map((pod) => east.kubectl(['exec', '-n', 'kube-system', pod, '--', ...command])));
    };
    await onEachNode(...later, 'add table inet host; add set inet host clients { type ipv4_addr; }');
    await east.kubectl(['rollout', 'restart', 'daemonset/isthmus-agent', '-n', 'kube-system']);
    await east.rolledOut('daemonset/isthmus-agent', 'kube-system');
    for (const shown of await onEachNode('isthmus', 'agent', 'show')) expect(shown).toContain('nft crashed');
    expect(failures(await clusters().measure())).toEqual(none);
    await onEachNode(...later, 'delete table inet host');
  });

  it('carry them through WireGuard, and to exported ClusterIPs, beside a CNI that masquerades on all devices', async () => {
    await clusters().configure({ endpointIPType: 'ClusterIP', masquerades: 'all', encryption: 'wireGuard' });
    expect(failures(await clusters().measure())).toEqual(none);
    // kube-proxy reads none of the slices with the Pods behind Services: it would log an error for
    // each.
    for (const { cluster } of clusters().members)
      for (const node of cluster.nodes)
        expect(node.logs('kube-proxy')).not.toContain('no kubernetes.io/service-name label');
  });
});
