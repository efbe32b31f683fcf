import type { ReasonOn, memberClusterSetStatus } from '@isthmus/api';
import { applyAll, applyDefinitions } from '../../process/apply-again.ts';

type Says = typeof memberClusterSetStatus;

/** The parts of `deploy/member.yaml` that this cluster lacks, by names of resources. */
export interface Installation {
  /**
   * Requests that the API server denies the controller, such as
   * `create serviceimports.multicluster.x-k8s.io`.
   */
  readonly denied: readonly string[];
  /** Kinds that are not served, although the controller needs them to work. */
  readonly missing: readonly string[];
  /** Kinds that are not served or cannot be read, so that a part of the controller waits. */
  readonly unserved: readonly string[];
  /** Kinds that are served in the form of Antrea's CRDs. */
  readonly older: readonly string[];
}

const definitions = applyDefinitions('member');
const everything = applyAll('member');

/**
 * The most severe problem. If only CRDs are missing, the suggested fix does not change the settings
 * of the controller.
 */
export function installationProblem({ denied, missing, unserved, older }: Installation) {
  if (missing.length > 0)
    return problem('KindsMissing', definitions, [
      `This cluster does not serve ${missing.join(', ')}; the exports and imports that need it wait.`,
    ]);
  if (denied.length > 0)
    return problem('AccessDenied', everything, [
      `The API server of this cluster does not allow the controller to ${denied.join(', ')}; the exports and imports that need it wait.`,
    ]);
  if (unserved.length === 0 && older.length === 0) return undefined;
  const waiting = `This cluster does not serve ${unserved.join(', ')}, or does not allow the controller to read them. The parts that need them wait; everything else works.`;
  const pruned = `This cluster serves ${older.join(', ')} only as v1alpha1, so conditions of ServiceImports and labels and annotations to export are not stored, and dual-stack Services are not imported. Everything else works.`;
  return problem('OutdatedManifests', unserved.length > 0 ? everything : definitions, [
    ...(unserved.length > 0 ? [waiting] : []),
    ...(older.length > 0 ? [pruned] : []),
  ]);
}

function problem<const Reason extends ReasonOn<Says, 'Ready=False'> | ReasonOn<Says, 'Ready=True'>>(
  reason: Reason,
  command: string,
  sentences: readonly string[],
) {
  return { reason, message: [...sentences, `Run: ${command}`].join(' ') };
}
