import type { Client, EventRecorder, World } from '@isthmus/kube';
import { createEventRecorder } from '@isthmus/kube';
import { apiVersionOf } from '@isthmus/machinery';
import type { KubernetesObject, ResourceType } from '@isthmus/machinery';

/** Reports an action for an object, as an Event about it. */
export type Tell = (about: { readonly type: ResourceType; readonly object: KubernetesObject }, note: Note) => void;

export interface Note {
  /** Default Normal. */
  readonly type?: 'Warning' | undefined;
  readonly reason: 'FailedCreate' | 'ScalingReplicaSet' | 'SuccessfulCreate' | 'SuccessfulDelete';
  /** The message in the words of kube-controller-manager. */
  readonly message: string;
}

/** The world of a controller of workloads. */
export interface TellingWorld extends World {
  readonly tell: Tell;
}

/** The Events of all controllers of a cluster. */
export interface Telling {
  /**
   * Reports as the given component of kube-controller-manager. Reports before {@link Telling.run}
   * are lost.
   */
  by(component: string): Tell;
  /** Until `signal` aborts. */
  run(signal: AbortSignal): void;
}

export function createTelling({ client, world }: { readonly client: Client; readonly world: World }): Telling {
  const recorders = new Map<string, EventRecorder>();
  let running: AbortSignal | undefined;
  return {
    by: (component) => (about, note) => {
      if (running === undefined) return;
      const options = { ...world, client, component, instance: '', signal: running };
      const recorder = recorders.get(component) ?? createEventRecorder(options);
      recorders.set(component, recorder);
      // Items of a list have no kind.
      const { type, object } = about;
      recorder.event(
        { ...object, apiVersion: apiVersionOf(type), kind: type.kind },
        { ...note, type: note.type ?? 'Normal' },
      );
    },
    run(signal) {
      running = signal;
    },
  };
}
