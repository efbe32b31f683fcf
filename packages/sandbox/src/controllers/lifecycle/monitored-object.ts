import type { PartialObjectMetadata } from '@isthmus/kube';
import { keyOfObject, resourceNameOf } from '@isthmus/machinery';
import type { MetadataCaches, Monitored } from './metadata-caches.ts';
import { MetadataIndex } from './metadata-caches.ts';

/** An object of any kind, by its metadata only. */
export interface MonitoredObject {
  readonly of: Monitored;
  readonly object: PartialObjectMetadata;
}

/** The objects that name the object with this uid as their owner. */
export function dependentsOf(caches: MetadataCaches, uid: string): readonly MonitoredObject[] {
  return byIndex(caches, MetadataIndex.owner, uid);
}

/** The object with this uid; empty if no cache has it. */
export function objectsOfUid(caches: MetadataCaches, uid: string): readonly MonitoredObject[] {
  return byIndex(caches, MetadataIndex.uid, uid);
}

function byIndex({ monitored }: MetadataCaches, index: string, value: string): readonly MonitoredObject[] {
  return [...monitored.values()].flatMap((of) => of.cache.byIndex(index, value).map((object) => ({ of, object })));
}

/** `plural.group namespace/name`. */
export function keyOfMonitored({ of, object }: MonitoredObject): string {
  return `${resourceNameOf(of.type)} ${keyOfObject(object)}`;
}

/** The reverse of {@link keyOfMonitored}; undefined if the object does not exist. */
export function monitoredByKey({ monitored }: MetadataCaches, key: string): MonitoredObject | undefined {
  const [resource = '', objectKey = ''] = key.split(' ');
  const of = monitored.get(resource);
  const object = of?.cache.getByKey(objectKey);
  return of === undefined || object === undefined ? undefined : { of, object };
}
