import type {
  ClusterInfoImport as ClusterInfoImportObject,
  ClusterSet,
  CustomResourceDefinition,
  EndpointSlice,
  Service as ServiceObject,
} from '@isthmus/api';
import { Annotation, ClusterInfoImport, Label, Service, ServiceImport, importedServiceName, yes } from '@isthmus/api';
import type { KubernetesObject } from '@isthmus/machinery';
import { keyOfObject, refOfObject } from '@isthmus/machinery';
import { carriesOurLabel, isOurService, isOurSlice, sliceOriginOf } from '@isthmus/wire';
import { endpointsOfSlices } from './endpoints-of-slices.ts';
import type { HandoverPlan, HandoverStep } from './handover-step.ts';
import { release, releaseClusterSet } from './release.ts';
import { remainsOfIsthmus } from './remains.ts';

/** The objects of Isthmus in a member. */
export interface MemberState {
  /** The Namespace of the controller. */
  readonly namespace: string;
  readonly clusterSets: readonly ClusterSet[];
  readonly services: readonly ServiceObject[];
  readonly slices: readonly EndpointSlice[];
  readonly serviceImports: readonly ServiceImport[];
  readonly clusterInfoImports: readonly ClusterInfoImportObject[];
  /** The CRDs of the MCS API. */
  readonly definitions: readonly CustomResourceDefinition[];
  readonly running: readonly (HandoverStep & { readonly kind: 'stop' })[];
  /** The names of Secrets for the leader whose token the controller renews. */
  readonly renewed: readonly string[];
}

/** The only version of ServiceExports and ServiceImports that Antrea serves. */
const antreaVersion = 'v1alpha1';

/**
 * How a member is handed over. Its imported Services keep their uid and ClusterIP, and have
 * endpoints at every moment. The endpoints are first, while all our marks exist. The stored version
 * is last, because it rewrites the objects in their final form.
 */
export function planMemberHandover(state: MemberState): HandoverPlan {
  const derived = state.services.filter((service) => carriesOurLabel(service) && isOurService(service));
  const replaced = state.services.filter(isOurService).flatMap((service): readonly HandoverStep[] => {
    const key = keyOfObject(service);
    const slices = state.slices.filter(
      (slice) =>
        isOurSlice(slice) && `${slice.metadata.namespace ?? ''}/${slice.metadata.labels?.[Label.serviceName]}` === key,
    );
    if (slices.length === 0) return [];
    const pods = state.slices.filter((slice) => isOurSlice(slice) && isOfPods(slice, key));
    const removed = [...slices, ...pods].map(refOfObject);
    return [{ kind: 'replace', endpoints: endpointsOfSlices(service, slices), slices: removed }];
  });
  const ours = <T extends KubernetesObject>(objects: readonly T[]) => objects.filter(carriesOurLabel);
  return {
    steps: [
      ...state.running,
      ...replaced,
      ...derived.flatMap((service) =>
        release(Service, service, { annotations: { [Annotation.importedService]: yes } }),
      ),
      ...ours(state.serviceImports).flatMap((object) => release(ServiceImport, object)),
      ...ours(state.clusterInfoImports).flatMap((object) => release(ClusterInfoImport, object)),
      ...state.clusterSets.flatMap(releaseClusterSet),
      ...state.definitions
        .filter(isStoredOtherwise)
        .map((definition): HandoverStep => ({ kind: 'store', definition, version: antreaVersion })),
    ],
    next: [
      ...remainsOfIsthmus(state.namespace),
      ...state.renewed.map(
        (name) =>
          `The token in Secret ${state.namespace}/${name} is valid for a day, and Antrea does not renew it. Issue one on the leader that does not expire: antctl mc create membertoken. Put it into key token of the Secret.`,
      ),
      'Apply the manifest of the member of your release of Antrea: kubectl apply -f antrea-multicluster-member.yml',
      'Antrea reads neither dual-stack nor headless details: IPv6 endpoints, host names and zones of imported Services are removed at the next change of an export.',
    ],
  };
}

/**
 * Whether a slice has the Pods behind the endpoints of the imported Service `key`. Agents of Antrea
 * do not read these slices.
 */
function isOfPods(slice: EndpointSlice, key: string): boolean {
  const { name, arePods = false } = sliceOriginOf(slice) ?? {};
  return arePods && `${slice.metadata.namespace ?? ''}/${importedServiceName(name ?? '')}` === key;
}

/** Whether the API server would reject a CRD that has only Antrea's version. */
function isStoredOtherwise({ status }: CustomResourceDefinition): boolean {
  return (status?.storedVersions ?? []).some((version) => version !== antreaVersion);
}
