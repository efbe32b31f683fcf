import type { KubernetesObject } from '@isthmus/machinery';
import type { CustomResourceDefinition } from '@isthmus/schema';
import { rulesEngine } from '@isthmus/schema/cel';
import { writeJudge } from '@isthmus/upgrade';
import { collectionOf, isAccepted, messageOf } from './api-server.ts';
import type { ApiServer } from './api-server.ts';
import { serverMinor } from './checks.ts';
import { sampleObjects } from './sample-objects.ts';
import type { ObjectVerdict } from './verdicts.ts';

/** Objects that are stored under a CRD, at the version that they are written in. */
export interface StoredObjects {
  readonly version: string;
  readonly objects: readonly KubernetesObject[];
}

/** The version that a CRD stores objects in. */
export function storageOf({ spec }: CustomResourceDefinition): string | undefined {
  return spec.versions.find(({ storage }) => storage)?.name;
}

/**
 * Writes sample objects of a CRD to the server: what both make of them, and those that are stored.
 * A CRD whose storage version is not served gets none.
 */
export async function storeSamples(
  server: ApiServer,
  definition: CustomResourceDefinition,
): Promise<{ readonly stored: StoredObjects | undefined; readonly verdicts: readonly ObjectVerdict[] }> {
  const version = storageOf(definition);
  const judge = version === undefined ? undefined : judgeOf(definition, version);
  if (version === undefined || judge === undefined) return { stored: undefined, verdicts: [] };
  const collection = collectionOf(definition, version);
  const errorsOf = (object: KubernetesObject) => judge(object).map(({ path }) => path);
  const verdicts: ObjectVerdict[] = [];
  const objects: KubernetesObject[] = [];
  for (const { first, sound } of sampleObjects(definition, version, errorsOf)) {
    const { name } = first.metadata;
    const about = { crd: definition.metadata.name, object: name };
    if (sound !== first) {
      const answer = await server.ask('POST', `${collection}?dryRun=All`, first);
      verdicts.push({ ...about, request: 'first create', ...sides(judge(first), answer) });
    }
    if (sound === undefined) continue;
    const answer = await server.ask('POST', collection, sound);
    verdicts.push({ ...about, request: 'create', ...sides([], answer) });
    if (isAccepted(answer)) objects.push(answer.body as unknown as KubernetesObject);
  }
  return { stored: { version, objects }, verdicts };
}

/**
 * The answers of a new CRD about stored objects: to creating the same object again, and to an
 * update of its labels.
 */
export async function revalidate(
  server: ApiServer,
  definition: CustomResourceDefinition,
  { version, objects }: StoredObjects,
): Promise<readonly ObjectVerdict[]> {
  const judge = judgeOf(definition, version);
  if (judge === undefined) return [];
  const collection = collectionOf(definition, version);
  const verdicts: ObjectVerdict[] = [];
  for (const stored of objects) {
    const { name } = stored.metadata;
    const about = { crd: definition.metadata.name, object: name };
    const again = { ...stored, metadata: { name: `${name}-again` } };
    const created = await server.ask('POST', `${collection}?dryRun=All`, again);
    verdicts.push({ ...about, request: 'create', ...sides(judge(again), created) });
    const { managedFields: _, ...metadata } = stored.metadata;
    const labelled = { ...stored, metadata: { ...metadata, labels: { touched: 'true' } } };
    const updated = await server.ask('PUT', `${collection}/${name}?dryRun=All`, labelled);
    verdicts.push({ ...about, request: 'update', ...sides(judge(labelled, stored), updated) });
  }
  return verdicts;
}

/**
 * Deletes stored objects at a version that the live CRD serves, at best the one that needs no
 * conversion.
 */
export async function removeObjects(
  server: ApiServer,
  live: CustomResourceDefinition,
  { objects }: StoredObjects,
): Promise<void> {
  const all = live.spec.versions.filter(({ served }) => served);
  const served = (all.find(({ storage }) => storage) ?? all[0])?.name;
  if (served === undefined) return;
  for (const { metadata } of objects) await server.ask('DELETE', `${collectionOf(live, served)}/${metadata.name}`);
}

type Judge = (
  object: KubernetesObject,
  before?: KubernetesObject,
) => readonly { readonly path: string; readonly text: string }[];

function judgeOf(definition: CustomResourceDefinition, version: string): Judge | undefined {
  const found = definition.spec.versions.find(({ name, served }) => name === version && served);
  const schema = found?.schema?.openAPIV3Schema;
  if (schema === undefined) return undefined;
  const judge = writeJudge(schema, {
    server: { minor: serverMinor },
    compileRules: rulesEngine,
    hasStatus: found?.subresources?.status !== undefined,
  });
  return (object, before) =>
    judge
      .judge(object, before)
      .errors.map(({ error: { path, type, detail } }) => ({ path, text: `${path}: ${type}: ${detail}` }));
}

function sides(errors: ReturnType<Judge>, answer: Awaited<ReturnType<ApiServer['ask']>>) {
  return { ours: errors.map(({ text }) => text), isAccepted: isAccepted(answer), message: messageOf(answer) };
}
