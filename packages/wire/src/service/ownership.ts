import type { EndpointSlice, Service, ServiceImport } from '@isthmus/api';
import { Annotation, Label, sliceManagedByIsthmus } from '@isthmus/api';
import { carriesOurLabel } from '../marks/managed-by.ts';
import { sliceOriginOf } from './slice-origin.ts';

/** Whether Antrea Multi-cluster, or we, imported this Service. */
function isImportedService(service: Service): boolean {
  return service.metadata.annotations?.[Annotation.importedService] !== undefined;
}

/** Antrea marks what it imports by the annotation alone; such a Service is taken over. Either mark is enough: the other is put back. */
export function isOurService(service: Service): boolean {
  return isImportedService(service) || carriesOurLabel(service);
}

/**
 * Antrea's ServiceImports carry no mark at all: one is taken for Antrea's when it points at the imported Service beside it. Any other is
 * another implementation's, or a person's.
 */
export function isOurServiceImport(serviceImport: ServiceImport, derived: Service | undefined): boolean {
  if (carriesOurLabel(serviceImport)) return true;
  const ip = derived?.spec?.clusterIP ?? '';
  return (
    derived !== undefined && isImportedService(derived) && ip !== '' && (serviceImport.spec?.ips ?? []).includes(ip)
  );
}

/**
 * Ours by the label of EndpointSlices that names the controller, or by its name together with the Service that owns it, whatever the labels say by now:
 * a slice that is not taken for ours would stay attached to the Service beside the one that takes its place. Our other label alone is no proof: kube-controller-manager copies it from the Service
 * to slices that it makes.
 */
export function isOurSlice(slice: EndpointSlice): boolean {
  const manager = slice.metadata.labels?.[Label.sliceManagedBy];
  if (manager === sliceManagedByIsthmus) return true;
  return (manager === undefined && carriesOurLabel(slice)) || sliceOriginOf(slice)?.isProven === true;
}

/**
 * What the EndpointSlice controller made for our Service while somebody had given it a selector. The controller forgets a Service that has
 * none, its slices stay, and would go on sending traffic to the Pods that were selected.
 */
export function isLeftOfSelector(slice: EndpointSlice, service: Service): boolean {
  const { labels, ownerReferences = [] } = slice.metadata;
  return (
    service.spec?.selector === undefined &&
    labels?.[Label.sliceManagedBy] === sliceManagedByController &&
    ownerReferences.some(({ uid }) => uid === service.metadata.uid)
  );
}

/** kube-controller-manager's name in the label of the slices that it makes for Services with a selector. */
const sliceManagedByController = 'endpointslice-controller.k8s.io';
