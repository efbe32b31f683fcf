import type { ResourceExport, ResourceImport } from '@isthmus/api';
import { Finalizer, Label, SourceKind, isResourceExportFinalizer, managedByIsthmus } from '@isthmus/api';
import { byAge, equal, isLive } from '@isthmus/machinery';
import type { ExportCondition, ExportDecision, ExportGroup, LeaderExchange } from '@isthmus/wire';
import {
  carriesOurLabel,
  isClaimed,
  isLabelValue,
  isPolicyPayload,
  policyExportKeys,
  policyImportName,
  policyNameProblem,
  policyPayloadProblem,
  publishedPolicyKeys,
  shown,
} from '@isthmus/wire';
import { answer, failed, importFailed, succeeded } from '../../../common-area/export-answer.ts';
import { overLimits } from '../../../common-area/limits.ts';
import { isHeld } from '../../../common-area/release-export.ts';

const kind = SourceKind.clusterNetworkPolicy;

/**
 * The leader's part for policies that administrators export: the spec is published unchanged. One
 * key: the name of the policy.
 */
export const policyMerge: LeaderExchange = {
  controller: 'policy-merge',
  exportKeys: policyExportKeys,
  importKeys: publishedPolicyKeys,
  importNames: (name) => [policyImportName(name)],
  sources: ({ spec }) => ({
    by: 'labels',
    labels: { [Label.sourceKind]: kind, [Label.sourceName]: spec?.name ?? '' },
  }),
  decide: decidePolicy,
};

/**
 * What the leader publishes for the exports of one policy. If several exports have one name, the
 * oldest is published. While no export is valid, the published policy stays: an administrator's
 * error must not remove a policy from the whole ClusterSet.
 */
export function decidePolicy(group: ExportGroup): ExportDecision {
  const { exports, imports } = group;
  const live = exports.filter(isLive).toSorted(byAge);
  const valid = live.filter((one) => problemOf(one) === undefined);
  const [owner] = valid;
  const present = imports.find(({ metadata }) => metadata.name === policyImportName(owner?.spec?.name ?? ''));
  const obstacle = present === undefined || isOwnImport(present) ? undefined : present;
  const isWithdrawn = owner === undefined && (live.length === 0 || live.length < exports.length);
  return {
    wanted: owner === undefined || obstacle !== undefined ? [] : [importOf(owner)],
    unwanted: isWithdrawn ? imports.filter(isOwnImport) : [],
    amended: valid.flatMap((object) => {
      const wanted = asAdmitted(object);
      return equal(wanted, object) ? [] : [{ object, wanted }];
    }),
    statuses: live.map((object) => ({ object, conditions: answerTo(object, { group, owner, obstacle }) })),
    released: exports.filter(isHeld),
    incomplete: [],
    wait: undefined,
  };
}

/** The problem of an export by itself. */
function problemOf(object: ResourceExport): string | undefined {
  const { spec } = object;
  const ignored = overLimits(object);
  if (ignored !== undefined) return `Not published: ${ignored}.`;
  const wrong = policyNameProblem(spec?.name);
  if (wrong !== undefined) return `Not published: ${wrong}. Correct the ResourceExport.`;
  // `prod`/`web-api` and `prod-web`/`api` would get the same name.
  if ((spec?.namespace ?? '') !== '')
    return `Not published: spec.namespace is ${shown(spec?.namespace)}, but a ClusterNetworkPolicy has no Namespace. Remove spec.namespace.`;
  if (!isPolicyPayload(spec?.clusterNetworkPolicy))
    return 'Not published: spec.clusterNetworkPolicy is missing. Correct the ResourceExport.';
  const unfit = policyPayloadProblem(spec?.clusterNetworkPolicy);
  if (unfit !== undefined) return `Not published: spec.clusterNetworkPolicy ${unfit}. Correct the ResourceExport.`;
  return undefined;
}

/**
 * The export as Antrea's webhook admits it. It has the finalizer that keeps it until its import is
 * withdrawn, and the labels by which it is found.
 */
function asAdmitted(object: ResourceExport): ResourceExport {
  const { metadata, spec } = object;
  const { name = '' } = spec ?? {};
  const finalizers = metadata.finalizers ?? [];
  return {
    ...object,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, [Label.sourceKind]: kind, ...sourceNameLabel(name), [Label.sourceNamespace]: '' },
      finalizers: finalizers.some(isResourceExportFinalizer) ? finalizers : [...finalizers, Finalizer.resourceExport],
    },
  };
}

function importOf({ spec }: ResourceExport): ResourceImport {
  const { name = '', clusterNetworkPolicy } = spec ?? {};
  return {
    metadata: {
      name: policyImportName(name),
      labels: { [Label.sourceKind]: kind, ...sourceNameLabel(name), [Label.managedBy]: managedByIsthmus },
    },
    spec: { kind, name, clusternetworkpolicy: clusterNetworkPolicy },
  };
}

/** Names of policies may be longer than label values. */
function sourceNameLabel(name: string): Readonly<Record<string, string>> {
  return isLabelValue(name) ? { [Label.sourceName]: name } : {};
}

/**
 * Ours, or in the form of Antrea's leader, which sets no label but derives the name from the
 * policy.
 */
function isOwnImport(object: ResourceImport): boolean {
  return publishedPolicyKeys(object).length > 0 && (carriesOurLabel(object) || !isClaimed(object));
}

function answerTo(
  object: ResourceExport,
  {
    group,
    owner,
    obstacle,
  }: {
    readonly group: ExportGroup;
    readonly owner: ResourceExport | undefined;
    readonly obstacle: ResourceImport | undefined;
  },
): readonly ExportCondition[] {
  const { now, refused } = group;
  const problem = problemOf(object);
  if (problem !== undefined) return failed(object, problem, now);
  const { name = '' } = object.spec ?? {};
  if (owner !== undefined && owner !== object) {
    const message = `ResourceExport ${owner.metadata.name} already exports policy ${name}. Delete one of the two.`;
    return failed(object, message, now);
  }
  if (obstacle !== undefined) {
    const message = `ResourceImport ${obstacle.metadata.name} exists and was not created by this leader. Delete it, or export the policy under another name.`;
    return failed(object, message, now);
  }
  const rejected = refused.get(policyImportName(name));
  if (rejected !== undefined) return failed(object, `Not published: ${rejected}`, now, 'ImportRejected');
  const ImportFailed = importFailed(group.importProblemsOf?.({ name }) ?? []);
  const failure = ImportFailed === undefined ? [] : answer(object, 'ImportFailed', { ImportFailed }, now);
  return [...succeeded(object, undefined, now), ...failure];
}
