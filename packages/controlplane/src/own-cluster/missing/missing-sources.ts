import type { ResourceExport } from '@isthmus/api';
import { CustomResourceDefinition, memberClusterSetStatus } from '@isthmus/api';
import type { Outcome, ReconcileContext, Source } from '@isthmus/kube';
import { again, from, isForbidden, isNotFound } from '@isthmus/kube';
import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import { parseRfc3339, resourceNameOf } from '@isthmus/machinery';
import { areRemovalsAllowed } from '@isthmus/wire';
import type { ControllerAccess } from '../../controller-access.ts';
import { exportsLostWithDefinition, heldMessage } from '../../loss/held-condition.ts';
import type { HeldThing } from '../../loss/held.ts';
import type { DefinitionLook } from './decide-definition-loss.ts';
import { isLostWithDefinition } from './decide-definition-loss.ts';
import type { OwnCluster } from '../own-cluster.ts';

/** How often what is held is looked at again; that the object comes back is seen at once. */
const lookAgainMs = 60_000;

type Kind = Pick<ResourceType, 'group' | 'plural' | 'kind'>;

/** What a controller may do that exports objects of a custom kind. */
export function missingSourcesAccess(type: Kind): ControllerAccess {
  return {
    at: 'local',
    type: CustomResourceDefinition,
    scope: 'all',
    verbs: ['get'],
    resourceNames: [resourceNameOf(type)],
    optional: true,
  };
}

/** Doubts about objects of one kind in the own cluster that something was exported for, and that are missing. */
export interface MissingSources {
  /** Wakes what is held; to be among the sources of the reconciler that asks. */
  readonly sources: readonly Source[];
  /** The object is there, or, where one thing is exported for several, one of them. */
  found(key: string, object: Pick<KubernetesObject, 'metadata'>): void;
  /** The outcome where what was exported is to stay although its object is missing; undefined: it is to be withdrawn. */
  doubt(key: string, exported: readonly ResourceExport[], context: ReconcileContext): Promise<Outcome | undefined>;
}

/** When each object was made is remembered for as long as the controllers live; without it, the time of its export counts. */
export function createMissingSources(own: OwnCluster, type: Kind): MissingSources {
  const definition = resourceNameOf(type);
  const { heldExports: held } = own;
  const { clock } = own.world;
  held.clear(definition);
  const made = new Map<string, number>();
  const isAllowed = () => areRemovalsAllowed(own.served(), clock.now());
  const look = shared((signal) => lookAt(own, definition, signal));
  const thingOf = (key: string): HeldThing => ({ exchange: definition, key, clusterID: '' });

  return {
    sources: [from(own.clusterSets.cache, () => (isAllowed() ? held.keys(definition) : []))],
    found(key, { metadata }) {
      held.release(thingOf(key));
      const madeMs = parseRfc3339(metadata.creationTimestamp);
      if (madeMs !== undefined) made.set(key, Math.max(madeMs, made.get(key) ?? madeMs));
    },
    async doubt(key, exported, context) {
      const exportedMs = exported.flatMap(({ metadata }) => parseRfc3339(metadata.creationTimestamp) ?? []);
      const isLost =
        exported.length > 0 &&
        isLostWithDefinition({
          definition: await look(context.signal),
          allowed: isAllowed(),
          madeMs: made.get(key) ?? (exportedMs.length === 0 ? undefined : Math.min(...exportedMs)),
          nowMs: clock.now(),
        });
      if (!isLost) {
        held.release(thingOf(key));
        made.delete(key);
        return undefined;
      }
      // Once for all that are lost together.
      if (held.keys(definition).length === 0) report(key, context);
      held.hold(thingOf(key));
      return again(lookAgainMs, `${definition} was deleted`);
    },
  };

  function report(key: string, { log }: ReconcileContext): void {
    log.warn('objects are gone with their definition; what was exported for them is kept', { definition, key });
    const clusterSet = own.served();
    if (clusterSet === undefined) return;
    const message = heldMessage(clusterSet, exportsLostWithDefinition([definition]));
    own.events.report(clusterSet, memberClusterSetStatus, { reason: 'WithdrawalHeld', message });
  }
}

/** Past every cache: the API server deletes a definition before the first of its objects. */
async function lookAt({ client }: OwnCluster, name: string, signal: AbortSignal): Promise<DefinitionLook> {
  try {
    const { metadata } = await client.get(CustomResourceDefinition, { name }, { signal });
    const createdMs = parseRfc3339(metadata.creationTimestamp);
    if (metadata.deletionTimestamp !== undefined) return { kind: 'lost' };
    return createdMs === undefined ? { kind: 'unknown' } : { kind: 'served', createdMs };
  } catch (error) {
    if (isNotFound(error)) return { kind: 'lost' };
    if (isForbidden(error)) return { kind: 'unknown' };
    throw error;
  }
}

/** Asks once for all that ask while an earlier question is under way: nobody gets an answer that is older than his question. */
function shared<T>(ask: (signal: AbortSignal) => Promise<T>): (signal: AbortSignal) => Promise<T> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;
  return (signal) => {
    next ??= running.then(() => {
      next = undefined;
      const answer = ask(signal);
      running = answer.catch(() => undefined);
      return answer;
    });
    return next;
  };
}
