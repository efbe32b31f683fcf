import { firstNames, printYaml } from '@isthmus/machinery';
import { nameOf } from '@isthmus/upgrade';
import type { Step } from '@isthmus/upgrade';
import type { Io } from '../../world/io.ts';
import { UsageError } from '../../command/usage-error.ts';
import { givenManifests } from '../plan/given-manifests.ts';
import { objectsIn } from '../input/read-objects.ts';
import type { ShownFinding } from '../output/shown-finding.ts';

/**
 * The objects of a step as YAML, in the order in which they are applied, from the manifests that
 * have the digests of the step. Errors: {@link UsageError} for a step that applies nothing, and
 * where a manifest or an object is missing: a part of a step is never printed. Keys that a manifest
 * has twice are added to `aside`.
 */
export async function stepObjects(
  io: Pick<Io, 'bundleCrypto' | 'listFiles' | 'readFile'>,
  { id, objects, artifacts, kind }: Step,
  folders: readonly string[],
  aside: ShownFinding[],
): Promise<string> {
  if (!applies.includes(kind) || objects.length === 0)
    throw new UsageError(`step ${id} applies no objects of a manifest`);
  const given = await givenManifests(io, folders, aside);
  const files = artifacts.flatMap((one) => given.get(/@(sha256:[0-9a-f]{64})$/.exec(one)?.[1] ?? '') ?? []);
  const all = files.flatMap(({ text, file }) => objectsIn(text, file, aside).map(({ object }) => object));
  const byName = new Map(all.map((one) => [nameOf(one), one]));
  const missing = objects.filter((one) => !byName.has(one));
  if (missing.length > 0)
    throw new UsageError(
      `${folders.join(', ')}: ${missing.length === objects.length ? 'no object' : 'not all objects'} of step ${id} found (missing: ${firstNames(missing, 5)}); pass the manifests of the bundle, unchanged: ${artifacts.join(', ')}`,
    );
  const wanted = objects.flatMap((one) => byName.get(one) ?? []);
  const inOrder = wanted
    .map((object, at) => ({ object, at, rank: rankOf(object.kind ?? '') }))
    .toSorted((a, b) => a.rank - b.rank || a.at - b.at);
  return inOrder.map(({ object }) => `---\n${printYaml(object)}`).join('');
}

const applies: readonly Step['kind'][] = ['apply-definitions', 'apply-shared', 'recreate', 'upgrade'];

/** Objects that others need come first; webhooks, which may reject later objects, come last. */
function rankOf(kind: string): number {
  if (kind.endsWith('WebhookConfiguration')) return order.length + 1;
  const at = order.indexOf(kind);
  return at < 0 ? order.length : at;
}

const order: readonly string[] = [
  'Namespace',
  'CustomResourceDefinition',
  'ServiceAccount',
  'ClusterRole',
  'ClusterRoleBinding',
  'Role',
  'RoleBinding',
  'ConfigMap',
  'Secret',
  'Service',
];
