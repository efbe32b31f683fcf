import type { ClusterNetworkPolicy as ClusterNetworkPolicyObject } from '@isthmus/api';
import { ClusterNetworkPolicy, Event, Label, SourceKind, Tier, importedPolicyName } from '@isthmus/api';
import type { Outcome, ReconcileContext, Reconciler } from '@isthmus/kube';
import {
  awaitedKindsAccess,
  ApiError,
  again,
  blocked,
  defineReconciler,
  done,
  from,
  isAlreadyExists,
  isConflict,
  onChange,
} from '@isthmus/kube';
import { liveOf } from '@isthmus/machinery';
import { isLabelValue, keepsImport, policyExchangeName, policyImportKeys, policyImportName } from '@isthmus/wire';
import type { ControllerAccess } from '../../../controller-access.ts';
import type { ImportSource } from '../../../own-cluster/import-source.ts';
import type { ImportedKind, KindImports } from '../../../own-cluster/missing/imported-kind.ts';
import { createKindImports, importAccess } from '../../../own-cluster/missing/imported-kind.ts';
import { isExported } from '../../../own-cluster/missing/offered-or-exported.ts';
import type { LocalPolicies } from '../local/policies.ts';
import { isOurPolicy, replicatedName, tierIndex } from '../local/policies.ts';
import type { PolicyProblem } from './decide.ts';
import { decidePolicyImport, rejectedReason, tierOf } from './decide.ts';
import { createLeaderEvents, repeatMs } from './leader-events.ts';
import type { NotImported } from './not-imported.ts';
import { notImportedVerdict } from './not-imported.ts';

/** The access that this controller needs. */
export const policyImportAccess: readonly ControllerAccess[] = [
  ...importAccess,
  { at: 'leader', type: Event, scope: 'own', verbs: ['create'] },
  {
    at: 'local',
    type: ClusterNetworkPolicy,
    scope: 'all',
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
    optional: true,
    mayBeUnserved: true,
  },
  { at: 'local', type: Tier, scope: 'all', verbs: ['get', 'list', 'watch'], optional: true, mayBeUnserved: true },
  awaitedKindsAccess(ClusterNetworkPolicy, Tier),
];

/**
 * How often to retry a policy that the API server rejects: a webhook may be unavailable, or may
 * accept it later.
 */
const rejectedMs = 30_000;
/** How often to check if the kinds have been read. If they cannot be read, no event wakes a key. */
const unreadMs = 30_000;

const policiesOf = ({ policies: resource }: LocalPolicies): ImportedKind<ClusterNetworkPolicyObject> => ({
  exchange: policyExchangeName,
  what: 'ClusterNetworkPolicies',
  keys: policyImportKeys,
  resource,
  refOf: (name) => ({ name: importedPolicyName(name) }),
  importedKeys: (object) => (isOurPolicy(object) ? keysOf(object) : []),
  // If Antrea's leader publishes one policy twice, the import with the usual name counts.
  prefers: (name, { metadata }) => metadata.name === policyImportName(name),
  // A longer name does not fit into a label.
  isExported: async (session, lost, signal) =>
    isLabelValue(lost.key) && (await isExported(session, { labelSelector: exportsOf(lost.key) }, lost, signal)),
});

function keysOf(object: ClusterNetworkPolicyObject): readonly string[] {
  const name = replicatedName(object);
  return name === undefined ? [] : [name];
}

/**
 * Keeps a ClusterNetworkPolicy for each policy that the leader publishes. One key: the name of the
 * policy on the leader.
 */
export function policyImportController(local: LocalPolicies, source: ImportSource): Reconciler {
  const { policies, tiers } = local;
  const imports = createKindImports(local, source, policiesOf(local));
  const { session, missing } = imports;
  const events = session === undefined ? undefined : createLeaderEvents(session, local.world);
  // A cache of policies that are not imported. It is used for the condition, and to wake a policy
  // when a missing object appears. Every key is looked at when the controller starts.
  const problems = new Map<string, NotImported>();
  const tierAwaited = new Map<string, string>();
  const report = () => local.clusterSetConditions.set({ PoliciesNotImported: notImportedVerdict(problems) });
  report();
  const waiting = () => [...problems.keys()];
  return defineReconciler<PolicyProblem>({
    name: 'policy-import',
    sources: imports.sources,
    optionalSources: [
      from(policies.cache, keysOf),
      from(tiers.cache, ({ metadata: { name } }) => [
        ...policies.cache.byIndex(tierIndex, name).flatMap(keysOf),
        ...[...tierAwaited].flatMap(([key, tier]) => (tier === name ? [key] : [])),
      ]),
      onChange((listener) => policies.cache.onState(listener), waiting),
      onChange((listener) => tiers.cache.onState(listener), waiting),
    ],
    access: policyImportAccess,
    async reconcile(name, context) {
      const remote = imports.remoteOf(name);
      const held = imports.whileHeld(name);
      if (held !== undefined) return blocked('BeingDeleted', held);
      const current = imports.currentOf(name);
      const decision = decidePolicyImport({
        name,
        remote,
        current,
        hasEngine: local.hasEngine(),
        hasTier: (tier) => liveOf(tiers.cache.get({ name: tier })) !== undefined,
        area: imports.area,
      });
      tierAwaited.delete(name);
      if (remote === undefined) events?.forget(policyImportName(name));
      else missing.clear({ key: name });
      switch (decision.kind) {
        case 'nothing':
          if (remote === undefined) missing.gone(name);
          return done;
        case 'wait':
          return again(unreadMs, 'ClusterNetworkPolicies and Tiers have not been read');
        case 'withdraw': {
          // An administrator exports it, not a cluster. So no connected cluster has anything to
          // restore.
          const lost = { key: name, name: policyImportName(name), clusterIDs: [] };
          return missing.withdraw(decision.object, lost, context);
        }
        case 'import':
          return write(imports, current, decision.object, context);
        case 'problem': {
          const { reason, message, obsolete } = decision;
          if (reason === 'TierNotFound' || reason === 'TierDeleted')
            tierAwaited.set(name, tierOf(remote?.spec?.clusternetworkpolicy?.tier));
          if (obsolete !== undefined) await policies.delete(obsolete, context.signal);
          return blocked(reason, message, { lookAgainMs: repeatMs });
        }
      }
    },
    /**
     * Reported on the ClusterSet here, for the exporter on its ResourceExport, and on the
     * ResourceImport as Antrea's members do.
     */
    async report(name, problem, context) {
      const before = problems.get(name);
      if (problem === undefined) problems.delete(name);
      else problems.set(name, problem);
      if (before?.message !== problem?.message) report();
      if (session === undefined) return;
      const { clusterID } = session.spec;
      const noted = problem === undefined ? undefined : { name, reason: problem.reason, message: problem.message };
      session.importProblems.note(`policy ${name}`, noted);
      const remote = imports.remoteOf(name);
      if (remote === undefined) return;
      const what = `ClusterNetworkPolicy ${importedPolicyName(name)}`;
      if (problem === undefined) await events?.succeeded(remote, `Cluster ${clusterID} imports ${what}`, context);
      else {
        const why = problem.message.replaceAll('this cluster', 'that cluster');
        const outcome = keepsImport(problem.reason)
          ? `keeps ${what} as it was imported before`
          : `does not import ${what}`;
        await events?.failed(remote, `Cluster ${clusterID} ${outcome}: ${why}`, context);
      }
    },
  });
}

async function write(
  imports: KindImports<ClusterNetworkPolicyObject>,
  current: ClusterNetworkPolicyObject | undefined,
  wanted: ClusterNetworkPolicyObject,
  { signal }: ReconcileContext,
): Promise<Outcome<PolicyProblem>> {
  try {
    await imports.write(current, wanted, signal);
    return done;
  } catch (error) {
    // Another client wrote in between: the next look reads the new object.
    if (!(error instanceof ApiError) || isConflict(error) || isAlreadyExists(error)) throw error;
    return blocked(rejectedReason(current), rejection(wanted, error), { lookAgainMs: rejectedMs });
  }
}

/**
 * Why the API server rejects a policy. Its answer to a patch contains the whole object, followed by
 * the unknown fields.
 */
function rejection({ metadata }: ClusterNetworkPolicyObject, error: ApiError): string {
  const [, unknown] = /strict decoding error: (.+)/s.exec(error.status.message ?? '') ?? [];
  if (unknown !== undefined)
    return `the ClusterNetworkPolicies of this cluster lack fields of it: ${unknown.slice(0, 400)}. Correct its ResourceExport, or upgrade Antrea in this cluster`;
  return `the API server of this cluster does not accept ClusterNetworkPolicy ${metadata.name}: ${error.message.slice(0, 500)}`;
}

function exportsOf(name: string): string {
  return `${Label.sourceKind}=${SourceKind.clusterNetworkPolicy},${Label.sourceName}=${name}`;
}
