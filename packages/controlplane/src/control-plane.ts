import type { Reconciler, World } from '@isthmus/kube';
import { runController } from '@isthmus/kube';

/** A running part of the control plane. */
export interface ControlPlane {
  /** The reasons why it cannot work now; empty when it is ready. */
  notReady(): readonly string[];
  /**
   * A member only: why its state at the leader is not known yet. Undefined once it is known,
   * whether the leader answers or not.
   */
  readonly sessionUnknown?: (() => string | undefined) | undefined;
  /** Works until `signal` aborts. When this resolves, everything that it started has ended. */
  run(signal: AbortSignal): Promise<void>;
}

/** Runs caches and controllers in parallel until `signal` aborts. */
export async function runTogether(
  parts: readonly { run(signal: AbortSignal): Promise<void> }[],
  reconcilers: readonly Reconciler[],
  options: { readonly world: World; readonly signal: AbortSignal },
): Promise<void> {
  const { world, signal } = options;
  await Promise.all([
    ...parts.map((part) => part.run(signal)),
    ...reconcilers.map((reconciler) => runController(reconciler, { ...world, signal })),
  ]);
}
