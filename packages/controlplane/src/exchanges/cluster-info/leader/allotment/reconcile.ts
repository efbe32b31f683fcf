import type { ResourceExport, ResourceImport } from '@isthmus/api';
import {
  Annotation,
  ClusterSet,
  ResourceExport as ResourceExportType,
  ResourceImport as ResourceImportType,
  SourceKind,
  parseVirtualPodCIDRs,
} from '@isthmus/api';
import type { Reconciler, World } from '@isthmus/kube';
import { again, atStart, defineReconciler, done, from } from '@isthmus/kube';
import type { Cidr } from '@isthmus/machinery';
import { cidrText, isLive, parseCidr } from '@isthmus/machinery';
import { allotmentLedgerText, carriesOurLabel, isAllotted, isWithdrawn, parseAllotmentLedger } from '@isthmus/wire';
import type { CommonArea } from '../../../../common-area/common-area.ts';
import type { ControllerAccess } from '../../../../controller-access.ts';
import { granted, networkProblem, ownPublished, publishedPairs, substituteOf } from '../decide.ts';
import { stakeOf } from '../judge-ranges.ts';
import type { RangeRules } from '../range-rules.ts';
import { isForbidden, rangeRules } from '../range-rules.ts';
import type { AllottingNetwork } from './allot.ts';
import { allot } from './allot.ts';
import { onClusterSets } from '../../../../reporting/cluster-sets-changed.ts';

/** The access that this controller needs. */
export const allotmentAccess: readonly ControllerAccess[] = [
  { at: 'local', type: ClusterSet, scope: 'own', verbs: ['get', 'list', 'watch', 'patch'] },
  { at: 'local', type: ResourceExportType, scope: 'own', verbs: ['get', 'list', 'watch'] },
  { at: 'local', type: ResourceImportType, scope: 'own', verbs: ['get', 'list', 'watch'] },
];

/**
 * A range of a former cluster goes to another one after a day: members that were disconnected for
 * less time may still send to it.
 */
const coolDownMs = 86_400_000;

/** Clusters that join at the same time cost one write. */
const coalesceMs = 100;

/** The only key, because there is one ledger. */
const theOnly = 'virtual-pod-cidrs';

/**
 * Allots virtual Pod CIDRs. The ledger is an annotation of the ClusterSet, written with its
 * resourceVersion as a precondition: if two leaders run at once, one has to look again. Runs if the
 * leader has a pool. Without a pool, clusters keep their ranges.
 */
export function allotmentController(area: CommonArea, world: World): Reconciler {
  const all = () => [theOnly];
  const ofNetwork = ({ spec }: ResourceExport | ResourceImport) => (spec?.kind === SourceKind.clusterInfo ? all() : []);
  const rules = rangeRules(area.config, () => undefined);
  const grants = area.grants.source((spec) => spec, all, all);
  return defineReconciler({
    name: 'virtual-pod-cidrs',
    concurrency: 1,
    coalesceMs,
    sources: [
      onClusterSets(area.clusterSets.cache, all),
      from(area.exports.cache, ofNetwork),
      from(area.imports.cache, ofNetwork),
      grants,
      atStart(theOnly),
    ],
    access: allotmentAccess,
    async reconcile(_key, { signal, log }) {
      const clusterSet = area.served();
      if (clusterSet === undefined) return done;
      const { metadata } = clusterSet;
      const { [Annotation.allottedPodCIDRs]: text, ...others } = metadata.annotations ?? {};
      const nowMs = world.clock.now();
      const before = parseAllotmentLedger(text);
      const { ledger, nextMs } = allot({
        ledger: before,
        networks: networksIn(area, rules),
        pool: rules.pool,
        nowMs,
        coolDownMs,
      });
      const next = allotmentLedgerText(ledger);
      if (next !== (text ?? '')) {
        const annotations = next === '' ? others : { ...others, [Annotation.allottedPodCIDRs]: next };
        await area.clusterSets.change(clusterSet, { ...clusterSet, metadata: { ...metadata, annotations } }, signal);
        log.info('virtual Pod CIDRs were allotted', { allotted: ledger.filter(isAllotted).length, of: ledger.length });
      }
      return nextMs === undefined ? done : again(Math.max(0, nextMs - nowMs) + 1, 'a virtual Pod CIDR becomes free');
    },
  });
}

/**
 * The networks that the clusters announce, and what they may have. If an export was lost, its
 * published import is used.
 */
function networksIn(
  { exports, imports, namespace, grants }: CommonArea,
  rules: RangeRules,
): readonly AllottingNetwork[] {
  const isNetwork = ({ spec }: ResourceExport | ResourceImport) => spec?.kind === SourceKind.clusterInfo;
  const live = exports.cache
    .list()
    .filter((object) => isNetwork(object) && isLive(object) && networkProblem(object) === undefined);
  const exported = new Set(live.map(({ metadata }) => metadata.name));
  const lost = imports.cache
    .list()
    .filter((object) => isNetwork(object) && carriesOurLabel(object) && !isWithdrawn(object))
    .filter(({ metadata }) => !exported.has(metadata.name))
    .map(substituteOf);
  return [...live, ...lost].map((object) =>
    allottingNetwork(object, imports.cache.get({ namespace, name: object.metadata.name }), { ...rules, grants }),
  );
}

/**
 * A range that may not be used is not a reason to give a virtual one. It also does not block one,
 * because a member can announce any range.
 */
function allottingNetwork(
  object: ResourceExport,
  published: ResourceImport | undefined,
  rules: RangeRules & Pick<CommonArea, 'grants'>,
): AllottingNetwork {
  const { metadata, spec } = object;
  const clusterInfo = granted(object, published, { grantOf: rules.grants.of }).network;
  const before = stakeOf((published && ownPublished(published)) ?? {}).ranges.map(cidrText);
  const mayUse = (cidr: Cidr) => !isForbidden(cidr, before.includes(cidrText(cidr)), rules);
  const { podCIDRs, gateways } = stakeOf(clusterInfo);
  const serviceCIDR = parseCidr(clusterInfo.serviceCIDR ?? '');
  const text = metadata.annotations?.[Annotation.virtualPodCIDRs];
  return {
    clusterID: spec?.clusterID ?? '',
    podCIDRs: podCIDRs.filter(mayUse),
    gateways,
    serviceCIDR: serviceCIDR !== undefined && mayUse(serviceCIDR) ? serviceCIDR : undefined,
    asks: text !== undefined,
    published: publishedPairs(published),
    known: parseVirtualPodCIDRs(text),
    since: metadata.creationTimestamp ?? '',
  };
}
