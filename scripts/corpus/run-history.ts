import { equal } from '@isthmus/machinery';
import type { CustomResourceDefinition } from '@isthmus/schema';
import { isAccepted, messageOf } from './api-server.ts';
import type { ApiServer } from './api-server.ts';
import { checksOf } from './checks.ts';
import type { RunChecks } from './checks.ts';
import type { History, HistoryVersion } from './history.ts';
import { removeObjects, revalidate, storageOf, storeSamples } from './judge-objects.ts';
import type { StoredObjects } from './judge-objects.ts';
import type { OtherTools } from './other-tools.ts';
import { ourVerdicts } from './verdicts.ts';
import type { DefinitionVerdict, ObjectVerdict, OurVerdict, PairResult } from './verdicts.ts';
import { versionContent } from './version-content.ts';
import type { VersionContent } from './version-content.ts';

/** The parts of the world that a history runs with. */
export interface CorpusWorld {
  readText(path: string): Promise<string>;
  /** Writes a file for a check, and gives its path. */
  writeText(name: string, text: string): Promise<string>;
  readonly runChecks: RunChecks;
  readonly server: ApiServer;
  readonly others: OtherTools;
}

/**
 * Takes a cluster through a history: each version is checked against what is live, as
 * `isthmus upgrade check` does it, then applied. The server has nothing of the history at the
 * beginning, and nothing at the end. Where it rejects a CRD, the live one is deleted and the new
 * one created, so that the next version meets the one before it.
 */
export async function runHistory(history: History, world: CorpusWorld): Promise<readonly PairResult[]> {
  const { server } = world;
  const results: PairResult[] = [];
  const names = new Set<string>();
  const stored = new Map<string, StoredObjects>();
  let before: { readonly version: HistoryVersion; readonly content: VersionContent } | undefined;
  try {
    for (const version of history.versions) {
      const content = versionContent(await textsOf(version, world));
      const live = await liveOf(server, names);
      const files = await pairFiles({ live, stored, version }, world);
      const lines = checksOf(before?.content, content, files);
      const runs = await world.runChecks(lines);
      const checks = runs.map((run, index) => ({ args: lines[index] ?? [], run }));
      const ofCrds = checks.find(({ args }) => args[0] === 'crd');
      const ours = ofCrds === undefined ? undefined : ourVerdicts(ofCrds.run.stdout);
      for (const { metadata } of content.definitions) names.add(metadata.name);
      const crdify = await crdifyOf(content.definitions, live, world);
      const pluto = await world.others.pluto?.(version.folder);
      const applied = await applyAll(content.definitions, { live, stored, ours, crdify, server });
      results.push({ from: before?.version.name, to: version.name, ...applied, checks, pluto });
      before = { version, content };
    }
  } finally {
    await clear({ names, stored, server });
  }
  return results;
}

async function textsOf(
  { files }: HistoryVersion,
  { readText }: CorpusWorld,
): Promise<Readonly<Record<string, string>>> {
  return Object.fromEntries(await Promise.all(files.map(async (path) => [path, await readText(path)] as const)));
}

type Live = ReadonlyMap<string, CustomResourceDefinition>;

async function liveOf(server: ApiServer, names: ReadonlySet<string>): Promise<Live> {
  const live = new Map<string, CustomResourceDefinition>();
  for (const name of names) {
    const found = await server.live(name);
    if (found !== undefined) live.set(name, found);
  }
  return live;
}

async function pairFiles(
  { live, stored, version }: { live: Live; stored: ReadonlyMap<string, StoredObjects>; version: HistoryVersion },
  { writeText }: CorpusWorld,
) {
  const listOf = (items: readonly unknown[]) => JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  const definitions = [...live.values()];
  const objects = [...stored.values()].flatMap((one) => one.objects);
  const snapshot = {
    apiVersion: 'upgrade.isthmus.dev/v1alpha1',
    kind: 'FleetSnapshot',
    metadata: { name: 'corpus' },
    spec: {
      takenAt: '2026-11-23T00:00:00Z',
      clusters: [{ name: 'cluster', components: [], definitions, objects }],
    },
  };
  return {
    live: await writeText('live.json', listOf(definitions)),
    next: version.folder,
    objects: objects.length === 0 ? undefined : await writeText('objects.json', listOf(objects)),
    snapshot: await writeText('snapshot.json', JSON.stringify(snapshot)),
  };
}

/** The findings of crdify for each CRD that replaces a live one. */
async function crdifyOf(
  definitions: readonly CustomResourceDefinition[],
  live: Live,
  { others, writeText }: CorpusWorld,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  for (const definition of others.crdify === undefined ? [] : definitions) {
    const { name } = definition.metadata;
    const before = live.get(name);
    if (before === undefined || others.crdify === undefined) continue;
    const old = await writeText('old-crd.json', JSON.stringify(before));
    const next = await writeText('new-crd.json', JSON.stringify(definition));
    found.set(name, await others.crdify(old, next));
  }
  return found;
}

interface Applying {
  readonly live: Live;
  readonly stored: Map<string, StoredObjects>;
  readonly ours: ReadonlyMap<string, OurVerdict> | undefined;
  readonly crdify: ReadonlyMap<string, readonly string[]>;
  readonly server: ApiServer;
}

async function applyAll(
  definitions: readonly CustomResourceDefinition[],
  { live, stored, ours, crdify, server }: Applying,
): Promise<Pick<PairResult, 'definitions' | 'objects'>> {
  const verdicts: DefinitionVerdict[] = [];
  const changed: CustomResourceDefinition[] = [];
  for (const definition of definitions) {
    const { name } = definition.metadata;
    const before = live.get(name);
    const samples = stored.get(name);
    // Objects of another version are then read through the webhook, which does not run here.
    const isConverted =
      definition.spec.conversion?.strategy === 'Webhook' && storageOf(definition) !== samples?.version;
    if (before !== undefined && samples !== undefined && isConverted) await forget(server, before, stored);
    const answer = await server.put(definition);
    const verdict = ours?.get(name);
    if (verdict !== undefined)
      verdicts.push({
        crd: name,
        ours: verdict,
        isAccepted: isAccepted(answer),
        message: messageOf(answer),
        crdify: crdify.get(name),
      });
    if (!isAccepted(answer) && before !== undefined) {
      await forget(server, before, stored);
      await server.remove(name);
      await server.put(definition);
    }
    const after = await server.live(name);
    if (after !== undefined && !equal(before?.spec, after.spec)) changed.push(after);
  }
  await server.settle(definitions.map(({ metadata }) => metadata.name));
  const objects: ObjectVerdict[] = [];
  for (const definition of changed) {
    const { name } = definition.metadata;
    const samples = stored.get(name);
    if (samples !== undefined) {
      objects.push(...(await revalidate(server, definition, samples)));
      await forget(server, definition, stored);
    }
    const made = await storeSamples(server, definition);
    objects.push(...made.verdicts);
    if (made.stored !== undefined && made.stored.objects.length > 0) stored.set(name, made.stored);
  }
  return { definitions: verdicts, objects };
}

async function forget(
  server: ApiServer,
  definition: CustomResourceDefinition,
  stored: Map<string, StoredObjects>,
): Promise<void> {
  const samples = stored.get(definition.metadata.name);
  if (samples === undefined) return;
  await removeObjects(server, definition, samples);
  stored.delete(definition.metadata.name);
}

async function clear({
  names,
  stored,
  server,
}: {
  readonly names: ReadonlySet<string>;
  readonly stored: Map<string, StoredObjects>;
  readonly server: ApiServer;
}): Promise<void> {
  for (const [name, definition] of await liveOf(server, names)) {
    await forget(server, definition, stored);
    await server.remove(name);
  }
}
