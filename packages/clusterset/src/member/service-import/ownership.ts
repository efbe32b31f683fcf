import type { EndpointSlice, Service, ServiceImport } from '@isthmus/api';
import { Annotation, Label, managedByIsthmus, sliceManagedByIsthmus } from '@isthmus/api';
import type { KubernetesObject } from '@isthmus/machinery';

/**
 * Nothing that is not ours is ever changed or deleted (architecture.md §1): ours carries our label, or Antrea's annotation in a cluster whose
 * ClusterSet we serve.
 */
export function carriesOurLabel(object: KubernetesObject): boolean {
  return object.metadata.labels?.[Label.managedBy] === managedByIsthmus;
}

/** Whether Antrea Multi-cluster, or we, imported this Service. */
function isImportedService(service: Service): boolean {
  return service.metadata.annotations?.[Annotation.importedService] !== undefined;
}

/** Antrea marks what it imports by the annotation alone; such a Service is taken over. */
export function isOurService(service: Service): boolean {
  return isImportedService(service);
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

export function isOurSlice(slice: EndpointSlice): boolean {
  return carriesOurLabel(slice) && slice.metadata.labels?.[Label.sliceManagedBy] === sliceManagedByIsthmus;
}
