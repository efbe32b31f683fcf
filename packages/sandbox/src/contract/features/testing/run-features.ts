/**
 * A process of its own (a check of `scripts/soak.ts`). It runs an area of the contract suite once
 * for each feature that is switched off. For each it prints one line of JSON. Each time it loads
 * the replaced function's module again, with all its importers, under a query of its own.
 */
import { globSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { createVirtualClock } from '@isthmus/fleet-sim';
import { areas } from '../../areas.ts';
import type { ContractArea } from '../../contract-case.ts';
import type { Recording } from '../../exchange.ts';
import { memoryWebhooks } from '../../memory-webhooks.ts';
import { recordingPath } from '../../recording-path.ts';
import { namespaceOf, runCase } from '../../run-case.ts';
import { createSandbox as whole } from '../../../sandbox.ts';
import type { Sandbox, SandboxOptions } from '../../../sandbox.ts';
import { virtualTime } from '../../virtual-time.ts';
import type { Feature } from '../feature.ts';
import { features } from '../features.ts';
import { withStandIn } from '../stand-in.ts';

const sources = new URL('../../../', import.meta.url).href;
const definitions = new URL('../features.ts', import.meta.url).href;
const marker = 'without-feature=';

/** The importers of each module of the sandbox, by path. */
const importers = importersOf(
  globSync('**/*.ts', { cwd: new URL(sources) }).filter((file) => !file.endsWith('.test.ts')),
);

function importersOf(files: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const file of files) {
    for (const [, specifier = ''] of readFileSync(new URL(file, sources), 'utf8').matchAll(/from '(\.[^']+)'/g)) {
      const imported = new URL(specifier, new URL(file, sources)).href.slice(sources.length);
      found.set(imported, [...(found.get(imported) ?? []), file]);
    }
  }
  return found;
}

/**
 * For each feature, its module and all importers of that: the modules to load again. Modules have
 * no state, so the others are shared.
 */
const changed = features.map(({ file }) => {
  const all = new Set([file]);
  for (const one of all) for (const importer of importers.get(one) ?? []) all.add(importer);
  return all;
});

registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    const mark = context.parentURL?.split(marker)[1];
    const [url = ''] = resolved.url.split('?');
    const isChanged = mark !== undefined && changed[Number(mark)]?.has(url.slice(sources.length)) === true;
    return isChanged && url.startsWith(sources) ? { ...resolved, url: `${url}?${marker}${mark}` } : resolved;
  },
  load(url, context, next) {
    const [file = '', mark] = url.split(`?${marker}`);
    const loaded = next(url, context);
    const feature = features[Number(mark)];
    if (mark === undefined || feature === undefined || file !== `${sources}${feature.file}`) return loaded;
    const standIn = `(await import('${definitions}')).features[${mark}].off`;
    return { ...loaded, source: withStandIn(textOf(loaded.source), feature, standIn) };
  },
});

function textOf(source: unknown): string {
  return typeof source === 'string' ? source : Buffer.from(source as Uint8Array).toString();
}

type CreateSandbox = (options: SandboxOptions) => Sandbox;

/** The sandbox's module, loaded for this feature alone. */
async function sandboxWithout(index: number): Promise<{ readonly createSandbox: CreateSandbox }> {
  // No literal can name the modules of all features; the directory and the file are fixed.
  const load = (url: string): Promise<{ readonly createSandbox: CreateSandbox }> => import(url);
  return load(`${sources}sandbox.ts?${marker}${index}`);
}

/** Whether some case notices that the feature is off, and which one was the first. */
async function check(feature: Feature, index: number): Promise<{ readonly ok: boolean; readonly detail: string }> {
  const area = areas.find(({ name }) => name === feature.area);
  if (area === undefined) throw new Error(`${feature.title}: there is no area ${feature.area}`);
  const { createSandbox } = await sandboxWithout(index);
  const noticedBy = await firstRed(area, createSandbox);
  if (noticedBy === undefined) return { ok: false, detail: `no case of area ${area.name} turns red` };
  // With all features on, the case must not fail, or the verdict would have no meaning.
  const alone = { ...area, cases: area.cases.filter(({ title }) => title === noticedBy) };
  const isRedAnyway = (await firstRed(alone, whole)) !== undefined;
  if (isRedAnyway) return { ok: false, detail: `this case is red with every feature on: ${noticedBy}` };
  return { ok: true, detail: `noticed by: ${noticedBy}` };
}

async function firstRed(
  { name, cases, compactEveryMs }: ContractArea,
  createSandbox: CreateSandbox,
): Promise<string | undefined> {
  const recorded = JSON.parse(readFileSync(recordingPath(name), 'utf8')) as Recording;
  const user = { username: 'admin', groups: ['system:masters', 'system:authenticated'] };
  for (const [number, one] of cases.entries()) {
    // Cases with controllers are slow, and no feature is a controller.
    if (one.needsControllers === true || one.knownToDiffer !== undefined) continue;
    const clock = createVirtualClock({ startMs: Date.parse('2026-11-21T10:00:00Z') });
    const { call: callWebhook, openWebhook } = memoryWebhooks();
    const sandbox = createSandbox({ name: 'contract', clock, compactEveryMs, callWebhook });
    const transport = sandbox.transport({ kind: 'user', user }, { userAgent: 'contract/1' });
    const withToken = (token: string) => sandbox.transport({ kind: 'token', token }, { userAgent: 'contract/1' });
    try {
      const server = { transport, withToken, openWebhook, time: virtualTime(clock) };
      const transcript = await runCase(server, one, namespaceOf(name, number));
      if (JSON.stringify(sorted(transcript)) !== JSON.stringify(sorted(recorded[one.title]))) return one.title;
    } catch {
      // A case that cannot continue has noticed too.
      return one.title;
    }
  }
  return undefined;
}

/** The value with sorted keys, and without undefined members. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, member]) => [key, sorted(member)]));
}

for (const [index, feature] of features.entries()) {
  const { ok, detail } = await check(feature, index);
  process.stdout.write(`${JSON.stringify({ title: feature.title, ok, detail })}\n`);
}
