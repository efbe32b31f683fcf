import type { Endpoints as EndpointsObject } from '@isthmus/api';
import { Annotation, Deployment, EndpointSlice, Endpoints, Label, Lease, ResourceImport } from '@isthmus/api';
import { isAlreadyExists, orNotFound } from '@isthmus/kube';
import { canonicalJson, keyOf, keyOfObject, sleep } from '@isthmus/machinery';
import { withdrawnMark } from '@isthmus/wire';
import type { HandoverRun } from './handover-run.ts';
import type { HandoverStep } from './handover-step.ts';
import { storeIn } from './store-in.ts';

/** How many steps run at the same time. */
const concurrency = 8;
/**
 * How long to wait for others: for a Pod to end and release its Lease, and for Kubernetes to create
 * slices from Endpoints.
 */
const patienceMs = 60_000;
/**
 * How long the Lease of an ended controller may last: client-go's fifteen seconds plus one period.
 * After that time, a running controller renews it.
 */
const leaseMs = 18_000;

/**
 * Carries out a plan, kind by kind. After a stop at any point, it may be repeated with a new plan.
 *
 * Errors: the obstacle, with the object and the next step; an {@link ApiError} if the API server
 * rejects a request.
 */
export async function handOver(steps: readonly HandoverStep[], run: HandoverRun): Promise<void> {
  for (const group of inGroups(steps)) {
    const queue = [...group];
    const work = async () => {
      for (let step = queue.shift(); step !== undefined; step = queue.shift()) await act(step, run);
    };
    await run.runGroup(group, async () => {
      await Promise.all(Array.from({ length: concurrency }, work));
    });
  }
}

/** Groups adjacent steps of one kind. */
export function inGroups(steps: readonly HandoverStep[]): readonly (readonly HandoverStep[])[] {
  const groups: HandoverStep[][] = [];
  for (const step of steps) {
    const last = groups.at(-1);
    if (last?.[0]?.kind === step.kind) last.push(step);
    else groups.push([step]);
  }
  return groups;
}

async function act(step: HandoverStep, run: HandoverRun): Promise<void> {
  const { client, signal } = run;
  switch (step.kind) {
    case 'stop':
      return stop(step, run);
    case 'replace':
      await writeEndpoints(step.endpoints, run);
      await untilMirrored(step.endpoints, run);
      for (const ref of step.slices) await gone(client.delete(EndpointSlice, ref, { signal }));
      return;
    case 'merge': {
      // Members read the merged import as soon as the API server has pruned the payload of one of
      // the others. So that import goes last.
      const [last, ...others] = step.imports;
      const body = { spec: { endpointSlices: null } };
      if (last !== undefined && others.length > 0)
        await gone(client.patch(ResourceImport, last, { type: 'merge', body }, { signal }));
      for (const ref of [...others, ...(last === undefined ? [] : [last])])
        await gone(client.delete(ResourceImport, ref, { signal }));
      return;
    }
    case 'withdraw': {
      // Without the mark, members would keep what they have imported.
      const body = { metadata: { annotations: withdrawnMark(run.clock.now()) } };
      await gone(client.patch(ResourceImport, step.ref, { type: 'merge', body }, { signal }));
      await gone(client.delete(ResourceImport, step.ref, { signal }));
      return;
    }
    case 'release':
      await gone(
        client.patch(
          step.type,
          step.ref,
          { type: 'merge', body: step.patch },
          { signal, subresource: step.subresource },
        ),
      );
      return;
    case 'store':
      return storeIn(step, run);
  }
}

async function stop(
  { deployment, lease }: HandoverStep & { readonly kind: 'stop' },
  { client, clock, signal }: HandoverRun,
): Promise<void> {
  if (deployment !== undefined) {
    await client.patch(Deployment, deployment, { type: 'merge', body: { spec: { replicas: 0 } } }, { signal });
  }
  const from = clock.monotonic();
  const patience = deployment === undefined ? leaseMs : patienceMs;
  let seen = '';
  let seenMs = from;
  for (;;) {
    const spec = (await orNotFound(client.get(Lease, lease, { signal })))?.spec;
    const holder = spec?.holderIdentity ?? '';
    if (holder === '') return;
    const nowMs = clock.monotonic();
    if (canonicalJson(spec) !== seen) [seen, seenMs] = [canonicalJson(spec), nowMs];
    // It has not been renewed for its whole duration.
    if (nowMs - seenMs >= (spec?.leaseDurationSeconds ?? 15) * 1_000) return;
    if (nowMs - from >= patience) {
      throw new Error(
        `cannot hand over: ${holder} holds Lease ${keyOf(lease)}, so a controller of Isthmus is running. Stop it, and run the command again.`,
      );
    }
    await sleep(clock, 500, signal);
  }
}

async function writeEndpoints(endpoints: EndpointsObject, { client, signal }: HandoverRun): Promise<void> {
  try {
    await client.create(Endpoints, endpoints, { signal });
    return;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  const before = await client.get(Endpoints, endpoints.metadata, { signal });
  if (before.metadata.annotations?.[Annotation.importedService] === undefined) {
    throw new Error(
      `cannot replace the EndpointSlices of Service ${keyOfObject(endpoints)}: Endpoints of that name were not created for an import. Delete them, and run the command again.`,
    );
  }
  const body = { subsets: endpoints.subsets };
  await client.patch(Endpoints, endpoints.metadata, { type: 'merge', body }, { signal });
}

/**
 * Waits until the EndpointSlices that kube-controller-manager creates from the Endpoints have all
 * their addresses.
 */
async function untilMirrored(endpoints: EndpointsObject, { client, clock, signal }: HandoverRun): Promise<void> {
  const { namespace, name } = endpoints.metadata;
  const wanted = new Set((endpoints.subsets ?? []).flatMap(({ addresses = [] }) => addresses.map(({ ip }) => ip)));
  const labelSelector = `${Label.serviceName}=${name},${Label.sliceManagedBy}=${mirroringController}`;
  for (const from = clock.monotonic(); ;) {
    const { items } = await client.list(EndpointSlice, { namespace, labelSelector, signal });
    const there = new Set(items.flatMap((slice) => (slice.endpoints ?? []).flatMap(({ addresses }) => addresses)));
    if (wanted.isSubsetOf(there)) return;
    if (clock.monotonic() - from >= patienceMs) {
      throw new Error(
        `cannot replace the EndpointSlices of Service ${keyOfObject(endpoints)}: kube-controller-manager has not mirrored its Endpoints to EndpointSlices in ${patienceMs / 1000} s. Its slices are kept. Check that its controller endpointslice-mirroring-controller runs.`,
      );
    }
    await sleep(clock, 250, signal);
  }
}

/** The name of kube-controller-manager on the slices that it creates from Endpoints. */
const mirroringController = 'endpointslicemirroring-controller.k8s.io';

/** An object that is gone already needs no deletion. */
async function gone(work: Promise<unknown>): Promise<void> {
  await orNotFound(work);
}
