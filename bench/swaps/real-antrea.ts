import { join } from 'node:path';
import type { RealControllers } from './real-controllers.ts';
import { realControllers } from './real-controllers.ts';

export interface RealAntreaOptions {
  /** The program `antrea-mc-controller`. */
  readonly binary: string;
  /**
   * Has `antrea-multicluster-leader.yml` and `antrea-multicluster-member.yml` of the same release.
   */
  readonly manifests: string;
  /** Default `PodIP`. */
  readonly endpointIPType?: 'ClusterIP' | 'PodIP' | undefined;
  /** Whether labels of Pods get numbers; default false. */
  readonly stretched?: boolean | undefined;
  readonly say: (line: string) => void;
}

/** Antrea's controllers as processes. */
export function realAntrea({
  binary,
  manifests,
  endpointIPType = 'PodIP',
  stretched = false,
  say,
}: RealAntreaOptions): Promise<RealControllers> {
  return realControllers({
    name: 'Antrea',
    what: binary,
    needsHandover: true,
    goesOn: false,
    program: binary,
    args: (role, { config }) => [role, `--config=${config}`],
    manifest: (role) => join(manifests, `antrea-multicluster-${role}.yml`),
    endpointIPType,
    stretched,
    say,
  });
}
