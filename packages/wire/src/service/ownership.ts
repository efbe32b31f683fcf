import type { EndpointSlice, Service, ServiceImport } from '@isthmus/api';
import { Annotation, Label, sliceManagedByIsthmus } from '@isthmus/api';
import { carriesOurLabel } from '../marks/managed-by.ts';
import { sliceOriginOf } from './slice-origin.ts';

/** Whether Antrea Multi-cluster, or Isthmus, imported this Service. */
function isImportedService(service: Service): boolean {
  return service.metadata.annotations?.[Annotation.importedService] !== undefined;
}

/**
 * Antrea marks an imported Service by the annotation alone; it is taken over. Either mark is
 * enough: the other is added again.
 */
export function isOurService(service: Service): boolean {
  return isImportedService(service) || carriesOurLabel(service);
}

/**
 * Antrea's ServiceImports have no mark at all: one counts as Antrea's if it refers to the imported
 * Service beside it. Any other belongs to another implementation, or to a user.
 */
export function isOurServiceImport(serviceImport: ServiceImport, derived: Service | undefined): boolean {
  if (carriesOurLabel(serviceImport)) return true;
  const ip = derived?.spec?.clusterIP ?? '';
  return (
    derived !== undefined && isImportedService(derived) && ip !== '' && (serviceImport.spec?.ips ?? []).includes(ip)
  );
}

/**
 * A slice is ours by the EndpointSlice label that names the controller, or by its name together
 * with the Service that owns it, whatever its labels are by then. A slice that is wrongly not taken
 * for ours would stay attached to the Service beside its replacement. Our other label alone does
 * not prove it: kube-controller-manager copies it from the Service to its own slices.
 */
export function isOurSlice(slice: EndpointSlice): boolean {
  const manager = slice.metadata.labels?.[Label.sliceManagedBy];
  if (manager === sliceManagedByIsthmus) return true;
  return (manager === undefined && carriesOurLabel(slice)) || sliceOriginOf(slice)?.isProven === true;
}

/**
 * Whether the EndpointSlice controller made this slice for our Service while the Service had a
 * selector from a user or another client. That controller ignores a Service without a selector, so
 * its slices would stay, and send traffic to the Pods that were selected.
 */
export function isFromRemovedSelector(slice: EndpointSlice, service: Service): boolean {
  const { labels, ownerReferences = [] } = slice.metadata;
  return (
    service.spec?.selector === undefined &&
    labels?.[Label.sliceManagedBy] === sliceManagedByController &&
    ownerReferences.some(({ uid }) => uid === service.metadata.uid)
  );
}

/**
 * kube-controller-manager's name in the label of the slices that it makes for Services with a
 * selector.
 */
const sliceManagedByController = 'endpointslice-controller.k8s.io';
