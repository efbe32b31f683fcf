import { CustomResourceDefinition } from '@isthmus/api';
import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import { refOfObject, sleep } from '@isthmus/machinery';
import { isNotFound } from '@isthmus/kube';
import { applyDefinitions } from '../process/apply-again.ts';
import type { HandoverRun } from './handover-run.ts';
import type { HandoverStep } from './handover-step.ts';

/**
 * Stores all objects of a CRD in one of its versions. First the CRD names it as the storage
 * version, then each object is written once without a change. Then the CRD lists no other version
 * as stored: an API server rejects a CRD without a version that is listed there.
 */
export async function storeIn(
  { definition, version }: HandoverStep & { readonly kind: 'store' },
  run: Pick<HandoverRun, 'client' | 'clock' | 'signal'>,
): Promise<void> {
  const { client, signal } = run;
  const ref = { name: definition.metadata.name };
  const { group, names, scope, versions } = definition.spec;
  if (!versions.some(({ name, served }) => name === version && served)) {
    throw new Error(
      `cannot store ${names.plural}.${group} as ${version}: the CustomResourceDefinition does not serve that version. Run: ${applyDefinitions('member')}`,
    );
  }
  const before = await storageHash(definition, run);
  const stored = versions.map((one) => ({ ...one, storage: one.name === version }));
  const body = { spec: { versions: stored } };
  await client.patch(CustomResourceDefinition, ref, { type: 'merge', body }, { signal });
  if (!versions.some(({ name, storage }) => name === version && storage)) await untilInForce(definition, before, run);
  const type: ResourceType<KubernetesObject> = {
    group,
    version,
    kind: names.kind,
    plural: names.plural,
    namespaced: scope === 'Namespaced',
  };
  const { items } = await client.list(type, { signal });
  for (const object of items) {
    // A write without a change: the API server stores the object again, since the storage version
    // differs.
    try {
      await client.patch(type, refOfObject(object), { type: 'merge', body: {} }, { signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
  const status = { storedVersions: [version] };
  await client.patch(
    CustomResourceDefinition,
    ref,
    { type: 'merge', body: { status } },
    { signal, subresource: 'status' },
  );
}

/**
 * How often in a row the API server has to return the new CRD: several servers may share one
 * address.
 */
const looks = 4;
const lookMs = 500;
const patienceMs = 60_000;

/**
 * Waits until writes are stored by the changed CRD. Earlier writes would be lost with the removed
 * version.
 */
async function untilInForce(
  definition: CustomResourceDefinition,
  before: string | undefined,
  run: Pick<HandoverRun, 'client' | 'clock' | 'signal'>,
): Promise<void> {
  const { clock, signal } = run;
  const from = clock.monotonic();
  for (let seen = 0; seen < looks;) {
    await sleep(clock, lookMs, signal);
    const now = await storageHash(definition, run);
    seen = now === undefined || now !== before ? seen + 1 : 0;
    if (seen === 0 && clock.monotonic() - from >= patienceMs) {
      throw new Error(
        `cannot store ${definition.metadata.name} in another version: the API server does not use the changed CustomResourceDefinition after ${patienceMs / 1000} s. Run the command again.`,
      );
    }
  }
}

/** The hash of the storage version in the API server's discovery. Undefined if there is no hash. */
async function storageHash(
  { spec: { group, names, versions } }: CustomResourceDefinition,
  { client, signal }: Pick<HandoverRun, 'client' | 'signal'>,
): Promise<string | undefined> {
  const served = versions.find((version) => version.served)?.name ?? '';
  const { text } = await client.request({ method: 'GET', path: `/apis/${group}/${served}` }, { signal });
  const list = JSON.parse(text) as {
    readonly resources?: readonly { readonly name: string; readonly storageVersionHash?: string }[];
  };
  return list.resources?.find(({ name }) => name === names.plural)?.storageVersionHash;
}
