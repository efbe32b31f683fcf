import type { Reconciler, World } from '@isthmus/kube';
import { runController } from '@isthmus/kube';

/** A running part of the control plane. */
export interface ControlPlane {
  /** What keeps it from doing its work right now; nothing when it is ready. */
  notReady(): readonly string[];
  /** Of a member: why it is not known yet how it stands to its leader; undefined once it is, whether the leader answers or not. */
  readonly sessionUnknown?: (() => string | undefined) | undefined;
  /** Works until `signal` aborts; everything it started has ended when this resolves. */
  run(signal: AbortSignal): Promise<void>;
}

/** Runs caches and controllers side by side until `signal` aborts. */
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
