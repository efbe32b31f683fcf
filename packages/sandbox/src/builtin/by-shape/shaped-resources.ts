import type { ServedResource } from '../../registry/served-resource.ts';
import * as admissionPolicies from './admission-policies.ts';
import * as autoscaling from './autoscaling.ts';
import * as batch from './batch.ts';
import * as clusterWide from './cluster-wide.ts';
import * as core from './core.ts';
import * as dynamicResources from './dynamic-resources.ts';
import * as networking from './networking.ts';
import * as storage from './storage.ts';

/**
 * The kinds that are validated by their shape. For a resource with two versions, the stored one
 * comes first.
 */
export const shapedResources: readonly ServedResource[] = [
  core,
  batch,
  networking,
  autoscaling,
  storage,
  clusterWide,
  admissionPolicies,
  dynamicResources,
].flatMap((kinds): readonly ServedResource[] => Object.values(kinds));
