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

/** How often to look again at held exports. If the object comes back, that is seen at once. */
const lookAgainMs = 60_000;

type Kind = Pick<ResourceType, 'group' | 'plural' | 'kind'>;

/** The access of a controller that exports objects of a custom kind. */
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

/** Doubts about missing objects of one kind in the own cluster that have exports. */
export interface MissingSources {
  /** Wakes keys that are held. The reconciler that uses this needs them among its sources. */
  readonly sources: readonly Source[];
  /** The object exists. If several objects share one export, one of them exists. */
  found(key: string, object: Pick<KubernetesObject, 'metadata'>): void;
  /**
   * The outcome if the export stays although its object is missing. Undefined: it is to be
   * withdrawn.
   */
  doubt(key: string, exported: readonly ResourceExport[], context: ReconcileContext): Promise<Outcome | undefined>;
}

/**
 * The creation time of each object is remembered as long as the controllers live. Otherwise the
 * time of its export counts.
 */
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
      // One report for all objects that are lost together.
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

/** Past every cache: the API server deletes a CRD before the first of its objects. */
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

/**
 * Asks once for all callers that ask while an earlier request is in progress. No caller gets an
 * answer that is older than its question.
 */
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
