/**
 * `node scripts/release/previous/record.ts COMMIT [CHART-COMMIT]`: takes what an earlier version of Isthmus installs, and what its controllers keep in API servers, into `fixtures`:
 * its manifests, its chart, and the objects of a fleet in which Services are exported and imported, as its own controllers and sandbox write them. `CHART-COMMIT`: where COMMIT has no chart. README.md says when to run it.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type * as CurrentApi from '@isthmus/api';
import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import { apiVersionOf, printYamlDocuments } from '@isthmus/machinery';
import type * as CurrentTestkit from '@isthmus/testkit';
import { checkOutEarlier } from '../../../bench/swaps/earlier-checkout.ts';
import { clusters, exported, recordedKinds } from './fleet.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const here = fileURLToPath(new URL('fixtures', import.meta.url));
const git = (...args: readonly string[]) =>
  execFileSync('git', ['-C', root, ...args], { encoding: 'utf8', maxBuffer: 2 ** 28 });

/** The files of a commit below a folder, by their path in it. */
function filesOf(commit: string, folder: string): ReadonlyMap<string, string> {
  const paths = git('ls-tree', '-r', '--name-only', commit, `${folder}/`).split('\n').filter(Boolean);
  return new Map(paths.map((path) => [path.slice(folder.length + 1), git('show', `${commit}:${path}`)]));
}

function put(path: string, text: string): void {
  mkdirSync(dirname(join(here, path)), { recursive: true });
  writeFileSync(join(here, path), text);
  console.log(`scripts/release/previous/fixtures/${path}`);
}

/** The objects of a fleet of that version, by cluster, after its members have imported all. */
async function recordObjects(checkout: string): Promise<ReadonlyMap<string, readonly KubernetesObject[]>> {
  const load = async (name: string) =>
    import(pathToFileURL(join(checkout, `packages/${name}/src/index.ts`)).href) as unknown;
  const api = (await load('api')) as typeof CurrentApi;
  const testkit = (await load('testkit')) as typeof CurrentTestkit;
  await using fleet = await testkit.createVirtualFleet({ clusters, endpointIPType: 'PodIP' });
  for (const { name, by } of exported)
    for (const [index, cluster] of by.entries()) {
      const at = fleet.cluster(cluster);
      const ref = { namespace: 'shop', name };
      testkit.putService(at, index === 0 ? testkit.westPorts : testkit.eastPorts, ref);
      const [node] = at.server.admin.list(api.Node);
      const podIP = `10.${cluster === 'west' ? 20 : 10}.1.${exported.findIndex((one) => one.name === name) + 1}`;
      at.server.admin.put(api.Pod, {
        metadata: { name: `${name}-1`, namespace: 'shop', labels: { app: name } },
        spec: { nodeName: node?.metadata.name, containers: [{ name: 'main', image: 'cart' }] },
        status: { phase: 'Running', podIP, podIPs: [{ ip: podIP }], conditions: [{ type: 'Ready', status: 'True' }] },
      });
      testkit.exportService(at, ref);
      await fleet.clock.advance(5_000);
    }
  await fleet.clock.advance(120_000);
  const types = recordedKinds.flatMap((kind) => {
    const type = (api as unknown as Readonly<Record<string, ResourceType | undefined>>)[kind];
    return type === undefined ? [] : [type];
  });
  return new Map(
    fleet.clusters.map(({ name, server }) => [
      name,
      types.flatMap((type) =>
        server.admin.list(type).map((object) => ({ ...object, apiVersion: apiVersionOf(type), kind: type.kind })),
      ),
    ]),
  );
}

async function main([commit = '', chartCommit = commit]: readonly string[]): Promise<number> {
  await using checkout = commit === '' ? undefined : await checkOutEarlier(commit);
  if (checkout === undefined) {
    console.error('usage: node scripts/release/previous/record.ts COMMIT [CHART-COMMIT], with commits of this clone');
    return 2;
  }
  const chart = filesOf(chartCommit, 'deploy/charts/isthmus');
  if (chart.size === 0) {
    console.error(`${chartCommit} has no chart: name a commit that has one as the second argument`);
    return 1;
  }
  const objects = await recordObjects(checkout.path);
  rmSync(here, { recursive: true, force: true });
  for (const role of ['leader', 'member'])
    put(`manifests/${role}.yaml`, readFileSync(join(checkout.path, `deploy/${role}.yaml`), 'utf8'));
  for (const [path, text] of chart) put(`chart/${path}`, text);
  for (const [cluster, all] of objects) put(`objects/${cluster}.yaml`, printYamlDocuments(all));
  const { version } = JSON.parse(git('show', `${commit}:package.json`)) as { readonly version: string };
  const hash = (one: string) => git('rev-parse', `${one}^{commit}`).trim();
  put(
    'previous.json',
    `${JSON.stringify({ version, commit: hash(commit), chartCommit: hash(chartCommit) }, undefined, 2)}\n`,
  );
  return 0;
}

process.exitCode = await main(process.argv.slice(2));
