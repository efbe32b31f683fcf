import { serviceColumns } from './service-columns.ts';
import { defineBuiltIn, statusSubresource, labelName } from '../define.ts';
import { selectableFields } from '../selectable-fields.ts';
import type { Stored } from '../../store/stored.ts';
import type { Strategy } from '../../strategy/strategy.ts';
import { addressWarnings, networkWarnings } from '../address-rules.ts';
import { compact } from '../field-rules.ts';
import { allocateService } from './service-allocation.ts';
import { serviceDefaults } from './service-defaults.ts';
import { serviceOf } from './service-shape.ts';
import { serviceStatusErrors, serviceUpdateErrors, withoutForeignFields } from './service-update.ts';
import { serviceErrors } from './service-validation.ts';
import { specOrStatus } from '../reset-fields.ts';

const serviceStrategy: Partial<Strategy> = {
  resetFields: specOrStatus,
  nameProblems: labelName,
  createOnUpdate: true,
  deleteReturnsObject: true,
  defaults: serviceDefaults,
  allocate: allocateService,
  prepareForCreate: (object) => withoutInsideTraffic({ ...object, status: { loadBalancer: {} } }),
  prepareForUpdate: (object, before) => withoutInsideTraffic(withoutForeignFields(object, before)),
  prepareForStatusUpdate: (object, before) => ({ ...object, spec: before['spec'] }),
  validate: (object) => serviceErrors(object),
  validateUpdate: serviceUpdateErrors,
  validateStatusUpdate: serviceStatusErrors,
  warnings: (object) => serviceWarnings(object),
};

export const service = defineBuiltIn({
  group: '',
  version: 'v1',
  kind: 'Service',
  plural: 'services',
  shortNames: ['svc'],
  categories: ['all'],
  subresources: [statusSubresource],
  columns: serviceColumns,
  selectable: selectableFields('spec.clusterIP', 'spec.type'),
  strategy: serviceStrategy,
});

/** An external name has no traffic inside; the real server never shows such a policy. */
function withoutInsideTraffic(object: Stored): Stored {
  const { spec } = serviceOf(object);
  return spec.type === 'ExternalName'
    ? { ...object, spec: compact({ ...spec, internalTrafficPolicy: undefined }) }
    : object;
}

function serviceWarnings(object: Stored): readonly string[] {
  const { spec, metadata } = serviceOf(object);
  const { type, clusterIP = '', clusterIPs = [], externalIPs = [], loadBalancerIP = '', externalName = '' } = spec;
  const headless = type === 'ClusterIP' && clusterIP === 'None';
  const warnings: string[] = [];
  if (metadata.annotations?.['service.kubernetes.io/topology-aware-hints'] !== undefined) {
    warnings.push(
      'annotation service.kubernetes.io/topology-aware-hints is deprecated, please use service.kubernetes.io/topology-mode instead',
    );
  }
  if (clusterIP !== '' && clusterIP !== 'None') {
    clusterIPs.forEach((address, index) => warnings.push(...addressWarnings(`spec.clusterIPs[${index}]`, address)));
  }
  if (headless) {
    if (loadBalancerIP !== '') warnings.push('spec.loadBalancerIP is ignored for headless services');
    if (externalIPs.length > 0) warnings.push('spec.externalIPs is ignored for headless services');
    if (spec.sessionAffinity !== 'None') warnings.push('spec.SessionAffinity is ignored for headless services');
  }
  externalIPs.forEach((address, index) => warnings.push(...addressWarnings(`spec.externalIPs[${index}]`, address)));
  if (externalIPs.length > 0 && !headless && type !== 'ExternalName') {
    warnings.push('spec.externalIPs is deprecated and may no longer be implemented in some clusters');
  }
  if (loadBalancerIP !== '') warnings.push(...addressWarnings('spec.loadBalancerIP', loadBalancerIP));
  (spec.loadBalancerSourceRanges ?? []).forEach((range, index) =>
    warnings.push(...networkWarnings(`spec.loadBalancerSourceRanges[${index}]`, range)),
  );
  if (type === 'ExternalName' && externalIPs.length > 0) {
    warnings.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  }
  if (type !== 'ExternalName' && externalName !== '') {
    warnings.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  }
  if (spec.trafficDistribution === 'PreferClose') {
    warnings.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"');
  }
  return warnings;
}
