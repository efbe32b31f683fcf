/**
 * `npm run matrix [-- --kube-proxy nftables|iptables] [--write docs/matrix.md]`: sends packets
 * between three clusters with real Nodes in every combination of client, server, target, protocol,
 * family and configuration, and prints a table of all of them (docs/matrix.md). Packets are carried
 * by the agents of a release, which is built first.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@isthmus/kube';
import { errorMessage, rfc3339 } from '@isthmus/machinery';
import { missingForNodes } from '@isthmus/testkit';
import { startMatrixClusters } from './matrix/matrix-clusters.ts';
import type { Configuration, ConfigurationOutcomes } from './matrix/report.ts';
import {
  combinationTable,
  configurationText,
  failureLines,
  passes,
  summaryTable,
  withResults,
} from './matrix/report.ts';
import { builtRelease } from './release/testing/built-release.ts';
import { scriptArguments, wrongArguments } from './script-arguments.ts';

const modes = ['nftables', 'iptables'] as const;

/** In this order, each is one change away from the one before it. */
const configurations: readonly Omit<Configuration, 'kubeProxy'>[] = [
  { encryption: 'none', endpointIPType: 'PodIP', masquerades: 'own' },
  { encryption: 'none', endpointIPType: 'PodIP', masquerades: 'all' },
  { encryption: 'none', endpointIPType: 'ClusterIP', masquerades: 'all' },
  { encryption: 'none', endpointIPType: 'ClusterIP', masquerades: 'own' },
  { encryption: 'wireGuard', endpointIPType: 'ClusterIP', masquerades: 'own' },
  { encryption: 'wireGuard', endpointIPType: 'ClusterIP', masquerades: 'all' },
  { encryption: 'wireGuard', endpointIPType: 'PodIP', masquerades: 'all' },
  { encryption: 'wireGuard', endpointIPType: 'PodIP', masquerades: 'own' },
];

const started = performance.now();
const say = (line: string) =>
  console.error(`${((performance.now() - started) / 1000).toFixed(0).padStart(5)} s  ${line}`);

async function outcomesWith(
  kubeProxy: (typeof modes)[number],
  dist: string,
): Promise<readonly ConfigurationOutcomes[]> {
  await using clusters = await startMatrixClusters({
    dist,
    kubeProxy: { north: kubeProxy, east: kubeProxy, west: kubeProxy },
    endpointIPType: 'PodIP',
    say,
  });
  const all: ConfigurationOutcomes[] = [];
  for (const settings of configurations) {
    const configuration = { kubeProxy, ...settings };
    await clusters.configure(settings);
    const outcomes = await clusters.measure();
    all.push({ configuration, outcomes });
    say(`${configurationText(configuration)}: ${outcomes.filter(passes).length} of ${outcomes.length} passed`);
    console.log(`\n### ${configurationText(configuration)}\n`);
    for (const line of combinationTable(outcomes)) console.log(line);
    for (const line of failureLines(outcomes)) console.log(line);
  }
  return all;
}

function page(all: readonly ConfigurationOutcomes[]): string {
  const outcomes = all.flatMap((one) => one.outcomes);
  return [
    ...summaryTable(all),
    '',
    `${outcomes.filter(passes).length} of ${outcomes.length} combinations passed on ${rfc3339(systemClock().now()).slice(0, 10)}.`,
  ].join('\n');
}

async function main(): Promise<number> {
  const { values } = scriptArguments('matrix', {
    'kube-proxy': { type: 'string', multiple: true, default: [...modes] },
    write: { type: 'string' },
  });
  const chosen = modes.filter((mode) => values['kube-proxy'].includes(mode));
  const unknown = values['kube-proxy'].filter((mode) => !modes.some((one) => one === mode));
  if (unknown.length > 0)
    wrongArguments('matrix', `--kube-proxy must be ${modes.join(' or ')}, not ${JSON.stringify(unknown[0])}`);
  const missing = missingForNodes(process.env);
  if (missing.length > 0) throw new Error(`this machine cannot run Nodes:\n  ${missing.join('\n  ')}`);
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-matrix-'));
  try {
    say('Building a release, unless ISTHMUS_DIST names one');
    const dist = await builtRelease(folder);
    const all: ConfigurationOutcomes[] = [];
    for (const mode of chosen) all.push(...(await outcomesWith(mode, dist)));
    const text = page(all);
    console.log(`\n${text}`);
    if (values.write !== undefined) writeFileSync(values.write, withResults(readFileSync(values.write, 'utf8'), text));
    return all.flatMap(({ outcomes }) => outcomes).every(passes) ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  try {
    process.exitCode = await main();
  } catch (error) {
    console.error(`matrix: ${errorMessage(error)}`);
    process.exitCode = 2;
  }
}
