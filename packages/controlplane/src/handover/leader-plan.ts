import type { ClusterSet, RoleBinding, ServiceAccount } from '@isthmus/api';
import { Annotation, FixedName, Label, MemberClusterAnnounce, ResourceImport, SourceKind } from '@isthmus/api';
import { firstOf, keyOf, keyOfObject, refOfObject } from '@isthmus/machinery';
import { carriesOurLabel, isWithdrawn, joinedImportName } from '@isthmus/wire';
import type { HandoverPlan, HandoverStep, Released } from './handover-step.ts';
import { release, releaseClusterSet } from './release.ts';
import { remainsOfIsthmus } from './remains.ts';

/** The objects of Isthmus in the Common Area of a leader. */
export interface LeaderState {
  readonly namespace: string;
  readonly clusterSets: readonly ClusterSet[];
  readonly imports: readonly ResourceImport[];
  readonly announces: readonly MemberClusterAnnounce[];
  readonly accounts: readonly ServiceAccount[];
  readonly bindings: readonly RoleBinding[];
  readonly running: readonly (HandoverStep & { readonly kind: 'stop' })[];
}

/**
 * How a leader is handed over. First, the merged imports lose the labels that make members of 0.1.0
 * ignore them. Then the imports of the single clusters are deleted, and all members read the merged
 * ones. The marks go last: until then they keep missing imports.
 */
export function planLeaderHandover(state: LeaderState): HandoverPlan {
  const { namespace, imports } = state;
  const isOfCluster = (object: ResourceImport) => object.spec?.kind === SourceKind.endpointSlices;
  const isMerged = (object: ResourceImport) => object.spec?.kind === SourceKind.endpoints;
  const labels = [Label.sourceKind, Label.sourceNamespace, Label.sourceName, Label.sourceClusterID];
  const released = (objects: readonly ResourceImport[], which: Released['which']) =>
    objects
      .filter(carriesOurLabel)
      .flatMap((object) => release(ResourceImport, object, { labels }))
      .map((step): Released => ({ ...step, which }));
  // Their slices, even an empty list of slices, are meant for members with a leader of ours.
  const withSlices = new Set(imports.filter(({ spec }) => spec?.endpointSlices !== undefined).map(keyOfObject));
  const withoutSlices = (step: Released): Released =>
    withSlices.has(keyOf(step.ref)) ? { ...step, patch: { ...step.patch, spec: { endpointSlices: null } } } : step;
  const isRetired = (object: ResourceImport) =>
    object.spec?.kind === SourceKind.labelIdentity && carriesOurLabel(object) && isWithdrawn(object);
  const isDotted = (object: ResourceImport) =>
    carriesOurLabel(object) && joinedImportName(object) !== object.metadata.name;
  const others = imports.filter((object) => !isMerged(object) && !isOfCluster(object) && !isRetired(object));
  const dotted = imports.filter((object) => isDotted(object) && !isOfCluster(object)).map(refOfObject);
  return {
    steps: [
      ...state.running,
      ...released(
        imports.filter((object) => isMerged(object) && !isDotted(object)),
        'merged',
      ).map(withoutSlices),
      ...mergeSteps(imports.filter((object) => isOfCluster(object) && carriesOurLabel(object))),
      // If there is no export, an Antrea leader neither deletes them nor counts their numbers as
      // used. It does not know names with a dot.
      ...[...imports.filter(isRetired).map(refOfObject), ...dotted].map((ref): HandoverStep => ({
        kind: 'withdraw',
        ref,
      })),
      ...released(
        others.filter((object) => !isDotted(object)),
        'other',
      ),
      ...state.announces.flatMap(releaseAnswer),
      ...state.clusterSets.flatMap(releaseClusterSet),
    ],
    next: [
      ...(dotted.length === 0
        ? []
        : [
            `ResourceImports with a dot in the name of a Service were deleted (${firstOf(dotted, 5, ({ name }) => name).join(', ')}): an Antrea leader cannot publish these Services beside others of the same name, and reports the conflict on their ResourceExports. Use other names for these Services or Namespaces.`,
          ]),
      ...unboundAccounts(state).map(
        (name) =>
          `Antrea 2.7 rejects members whose ServiceAccount does not name their cluster: kubectl -n ${namespace} annotate serviceaccount ${name} ${Annotation.clusterID}=<cluster ID>`,
      ),
      ...remainsOfIsthmus(namespace),
      'Apply the manifest of the leader of your release of Antrea: kubectl apply -f antrea-multicluster-leader.yml',
    ],
  };
}

function mergeSteps(imports: readonly ResourceImport[]): readonly HandoverStep[] {
  const services = Map.groupBy(imports, ({ spec }) => keyOf({ namespace: spec?.namespace, name: spec?.name ?? '' }));
  return [...services.values()].map(([first, ...rest]): HandoverStep => {
    const { namespace, name = '' } = first?.spec ?? {};
    const all = first === undefined ? rest : [first, ...rest];
    return { kind: 'merge', service: { namespace, name }, imports: all.map(refOfObject) };
  });
}

/**
 * Removes the leader's answer: members would keep waiting for the next answer. The rest belongs to
 * the members.
 */
function releaseAnswer(announce: MemberClusterAnnounce): readonly HandoverStep[] {
  const over = [Annotation.answered, Annotation.leaderClusterSet, Annotation.dottedNames].filter(
    (key) => announce.metadata.annotations?.[key] !== undefined,
  );
  if (over.length === 0) return [];
  const patch = { metadata: { annotations: Object.fromEntries(over.map((key) => [key, null])) } };
  return [{ kind: 'release', type: MemberClusterAnnounce, ref: refOfObject(announce), patch }];
}

/** ServiceAccounts that a member may use and that are not bound to a cluster. */
function unboundAccounts({ accounts, bindings, namespace }: LeaderState): readonly string[] {
  const bound = new Set(
    bindings
      .filter(({ roleRef }) => roleRef.name === FixedName.memberRole)
      .flatMap(({ subjects = [] }) => subjects)
      .filter((subject) => subject.kind === 'ServiceAccount' && (subject.namespace ?? namespace) === namespace)
      .map(({ name }) => name),
  );
  return accounts
    .filter(({ metadata }) => bound.has(metadata.name) && !metadata.annotations?.[Annotation.clusterID])
    .map(({ metadata }) => metadata.name);
}
