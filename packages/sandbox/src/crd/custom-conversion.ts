import { apiVersionOf, deepFreeze } from '@isthmus/machinery';
import type { Random } from '@isthmus/machinery';
import type { ServedResource } from '../registry/served-resource.ts';
import type { Stored } from '../store/stored.ts';
import type { Conversion } from '../core/conversion.ts';
import type { ConversionRule } from '../definition/definition.ts';
import { convertByWebhook } from './webhook-conversion.ts';
import type { WebhookTransport } from '../webhook/webhook-call.ts';

/**
 * Conversion between the versions of a custom kind: by name alone, or by a webhook. A stored object
 * gets the defaults of its stored version, is converted, and pruned by the version of the request.
 * A written object is pruned by the storage version. The real server does the same. A stored object
 * is converted once for each version, and later reads return the same object.
 */
export function customConversion(call: WebhookTransport, random: Random): Conversion {
  const read = new WeakMap<ServedResource, WeakMap<Stored, Stored>>();
  const cacheOf = (resource: ServedResource) => {
    let cache = read.get(resource);
    if (cache === undefined) read.set(resource, (cache = new WeakMap()));
    return cache;
  };
  const defaulted = ({ schemas }: ServedResource, object: Stored): Stored =>
    schemas === undefined ? object : (schemas(object.apiVersion).object.applyDefaults(object) as Stored);
  const pruned = ({ schemas }: ServedResource, object: Stored): Stored =>
    schemas === undefined ? object : (schemas(object.apiVersion).object.prune(object).value as Stored);
  const finished = (resource: ServedResource, stored: Stored, object: Stored): Stored => {
    const ready = pruned(resource, object);
    const frozen = ready === stored ? stored : deepFreeze(ready);
    if (Object.isFrozen(stored)) cacheOf(resource).set(stored, frozen);
    return frozen;
  };
  const toRequestedNow = (resource: ServedResource, stored: Stored): Stored =>
    cacheOf(resource).get(stored) ?? finished(resource, stored, served(resource, defaulted(resource, stored)));
  const toStoredNow = (resource: ServedResource, object: Stored): Stored => {
    const stored = resource.converts?.toStored(object) ?? renamed(object, resource.storageVersion);
    return stored === object ? object : pruned(resource, stored);
  };
  return {
    isLocal: (resource) => webhookOf(resource) === undefined,
    toRequestedNow,
    toStoredNow,
    async toRequested(resource, objects) {
      const rule = webhookOf(resource);
      if (rule === undefined) return objects.map((object) => toRequestedNow(resource, object));
      const cache = cacheOf(resource);
      const missing = objects.filter((object) => !cache.has(object));
      const target = { resource, apiVersion: apiVersionOf(resource) };
      const given = missing.map((object) => defaulted(resource, object));
      const converted = await convertByWebhook({ rule, call, random }, given, target);
      const fresh = new Map(
        missing.map((object, index) => [object, finished(resource, object, converted[index] ?? object)]),
      );
      return objects.map((object) => fresh.get(object) ?? cache.get(object) ?? object);
    },
    async toVersion(resource, object) {
      const rule = webhookOf(resource);
      const apiVersion = apiVersionOf(resource);
      if (rule === undefined || object.apiVersion === apiVersion) return served(resource, object);
      const [converted = object] = await convertByWebhook({ rule, call, random }, [object], { resource, apiVersion });
      return converted;
    },
    async toStored(resource, object) {
      const rule = webhookOf(resource);
      if (rule === undefined || object.apiVersion === resource.storageVersion) return toStoredNow(resource, object);
      const target = { resource, apiVersion: resource.storageVersion };
      const [stored = object] = await convertByWebhook({ rule, call, random }, [object], target);
      return pruned(resource, stored);
    },
  };
}

function webhookOf({ definition }: ServedResource): ConversionRule | undefined {
  const rule = definition?.spec.conversion;
  return rule?.strategy === 'Webhook' ? rule : undefined;
}

/** An object in the version of the resource, without a webhook. */
function served(resource: ServedResource, object: Stored): Stored {
  const apiVersion = apiVersionOf(resource);
  if (object.apiVersion === apiVersion) return object;
  return resource.converts?.toServed(object) ?? renamed(object, apiVersion);
}

function renamed(object: Stored, apiVersion: string): Stored {
  return object.apiVersion === apiVersion ? object : { ...object, apiVersion };
}
