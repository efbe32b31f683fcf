import type { RealFleet } from '@isthmus/testkit';
import { defaultControllers, startRealFleet } from '@isthmus/testkit';

/**
 * A leader and two members of Isthmus with Pod IPs as endpoints, so that a set has the same
 * addresses whichever make runs.
 */
export function startSwapFleet(signal: AbortSignal, say: (line: string) => void = () => undefined): Promise<RealFleet> {
  return startRealFleet({
    clusters: { north: 'leader', east: 'member', west: 'member' },
    endpointIPType: 'PodIP',
    // Antrea writes Endpoints, of which Kubernetes makes EndpointSlices.
    kubeControllers: [...defaultControllers, 'endpointslice-mirroring-controller'],
    signal,
    run(phase, work) {
      say(phase);
      return work();
    },
  });
}
