import { ipAddressColumns } from './ip-address-columns.ts';
import { defineBuiltIn } from '../define.ts';
import { ipAddressStrategy } from './address-strategies.ts';

export const ipAddress = defineBuiltIn({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'IPAddress',
  plural: 'ipaddresses',
  namespaced: false,
  shortNames: ['ip'],
  columns: ipAddressColumns,
  strategy: ipAddressStrategy,
});
