import type { ControlPlane } from '@isthmus/controlplane';
import type { HealthCheck } from '@isthmus/kube';
import type { LeaseView } from './lease-view.ts';

/** The state of a controller process. */
export type ProcessState =
  /** The custom resources cannot be read; `why` is undefined until the first answer. */
  | { readonly kind: 'looking'; readonly why: string | undefined }
  /** A candidate that waits for the Lease. */
  | { readonly kind: 'candidate'; readonly lease: LeaseView }
  /** Does its work; `elected`: because it holds the Lease. */
  | { readonly kind: 'leading'; readonly plane: ControlPlane; readonly elected: boolean }
  | { readonly kind: 'stopping' };

/**
 * The checks of `/readyz` for a state. A standby is ready: it would take over at once, and a
 * roll-out must not wait for it. The name of its check distinguishes it from the leading replica. A
 * member is ready once it knows whether its leader answers. It also works without the leader, which
 * its ClusterSet reports.
 */
export function readyChecks(state: ProcessState): readonly HealthCheck[] {
  const check = (name: string, why: string | undefined): HealthCheck => ({ name, check: () => why });
  switch (state.kind) {
    case 'looking':
      return [check('api-server', state.why ?? 'not checked yet')];
    case 'candidate':
      return [check('api-server', undefined), leaseCheck(state.lease)];
    case 'leading':
      return [
        check('api-server', undefined),
        ...(state.elected ? [check('lease-leading', undefined)] : []),
        { name: 'caches', check: () => state.plane.notReady().join(', ') || undefined },
        ...(state.plane.sessionUnknown === undefined
          ? []
          : [{ name: 'session-known', check: state.plane.sessionUnknown }]),
      ];
    case 'stopping':
      return [check('running', 'the process is stopping')];
  }
}

function leaseCheck(lease: LeaseView): HealthCheck {
  switch (lease.kind) {
    case 'unseen':
      return { name: 'lease', check: () => 'not read yet' };
    case 'seen':
      return { name: 'lease-standby', check: () => undefined };
    case 'failing':
      return { name: 'lease', check: () => lease.why };
    case 'homeless':
      return { name: 'lease', check: () => `${lease.why}; create the Namespace` };
  }
}
