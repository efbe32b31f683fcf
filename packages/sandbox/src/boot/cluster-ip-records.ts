import type { Core } from '../core/core.ts';
import { createObjectNow } from '../verbs/create.ts';
import { apiServerTarget } from '../core/api-server-target.ts';
import type { Stored, StoredChange } from '../store/stored.ts';
import { serviceOf } from '../builtin/services/service-shape.ts';
import { ipAddress } from '../builtin/networking/ip-address.ts';
import { recordOfClusterIP } from '../builtin/networking/address-strategies.ts';

/**
 * Keeps an IPAddress for each ClusterIP, within the write of the Service. With a Service go its
 * Endpoints too, as the real server does it, so that the next Service of the name does not find old
 * ones.
 */
export function keepClusterIPRecords(core: Core): void {
  core.store.onChange('/services', (change) => {
    const had = addressesOf(change.before);
    const has = addressesOf(change.after);
    for (const address of had) if (!has.includes(address)) forget(core, address);
    for (const address of has) if (!had.includes(address)) note(core, address, change);
    if (change.after !== undefined) return;
    const endpoints = core.store.get('/endpoints', change.key);
    if (endpoints !== undefined) core.store.remove('/endpoints', endpoints);
  });
}

function addressesOf(service: Stored | undefined): readonly string[] {
  const { clusterIPs = [] } = service === undefined ? {} : serviceOf(service).spec;
  return clusterIPs.filter((address) => address !== 'None');
}

function note(core: Core, address: string, { after }: StoredChange): void {
  const record = after === undefined ? undefined : recordOfClusterIP(address, after);
  if (record === undefined || core.store.get(ipAddress.storageKey, record.metadata.name) !== undefined) return;
  createObjectNow(core, apiServerTarget(ipAddress, { name: record.metadata.name }), record);
}

function forget(core: Core, address: string): void {
  const record = core.store.get(ipAddress.storageKey, address);
  if (record !== undefined) core.store.remove(ipAddress.storageKey, record);
}
