import type { FieldError } from '@isthmus/schema';
import type { Stored } from '../../store/stored.ts';
import { endpointAddress, legacyAddress, legacyNetwork } from '../address-rules.ts';
import {
  dnsLabel,
  dnsSubdomain,
  duplicate,
  forbidden,
  invalid,
  labelsRule,
  notSupported,
  oneOf,
  portName,
  portNumber,
  qualifiedName,
  required,
} from '../field-rules.ts';
import { addressErrors } from './service-addresses.ts';
import { isHeadless, isReachable, isHealthChecked, serviceOf } from './service-shape.ts';
import type { ServicePort, ServiceSpec } from './service-shape.ts';

const rangesAnnotation = 'service.beta.kubernetes.io/load-balancer-source-ranges';
const topologyHints = 'service.kubernetes.io/topology-aware-hints';
const topologyMode = 'service.kubernetes.io/topology-mode';
const onlyLoadBalancer = "may only be used when `type` is 'LoadBalancer'";

/** The errors of a Service, except those of its metadata, in the order of the real server. */
export function serviceErrors(object: Stored, stored?: Stored): readonly FieldError[] {
  const { spec, metadata } = serviceOf(object);
  const before = stored === undefined ? undefined : serviceOf(stored).spec;
  const annotations = metadata.annotations ?? {};
  const { ports = [] } = spec;
  const errors: FieldError[] = [];
  const [hints, mode] = [annotations[topologyHints], annotations[topologyMode]];
  if (hints !== undefined && mode !== undefined && hints !== mode) {
    const detail = `must match annotations[${topologyHints}] when both are specified`;
    errors.push(invalid(`metadata.annotations[${topologyMode}]`, mode, detail));
  }
  if (ports.length === 0 && !isHeadless(spec) && spec.type !== 'ExternalName') errors.push(required('spec.ports'));
  errors.push(...errorsOfType(spec));
  const names = new Set<string>();
  ports.forEach((port, index) =>
    errors.push(...portErrors(port, `spec.ports[${index}]`, { many: ports.length > 1, names })),
  );
  if (spec.selector !== undefined) errors.push(...labelsRule('spec.selector', spec.selector));
  errors.push(...affinityErrors(spec), ...addressErrors(spec, before));
  (spec.externalIPs ?? []).forEach((address, index) => {
    const path = `spec.externalIPs[${index}]`;
    const problems = legacyAddress(path, address, before?.externalIPs);
    errors.push(...(problems.length > 0 ? problems : endpointAddress(path, address)));
  });
  errors.push(...oneOf('spec.type', spec.type ?? '', ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort']));
  if (spec.type === 'ClusterIP') {
    ports.forEach(({ nodePort = 0 }, index) => {
      if (nodePort !== 0)
        errors.push(forbidden(`spec.ports[${index}].nodePort`, "may not be used when `type` is 'ClusterIP'"));
    });
  }
  errors.push(...repeatedPorts(ports), ...sourceRangeErrors(spec, before, annotations[rangesAnnotation]));
  if (spec.allocateLoadBalancerNodePorts !== undefined && spec.type !== 'LoadBalancer') {
    errors.push(forbidden('spec.allocateLoadBalancerNodePorts', onlyLoadBalancer));
  }
  errors.push(...loadBalancerClassErrors(spec), ...externalTrafficErrors(spec));
  if (spec.internalTrafficPolicy !== undefined) {
    errors.push(...oneOf('spec.internalTrafficPolicy', spec.internalTrafficPolicy, ['Cluster', 'Local']));
  }
  if (spec.trafficDistribution !== undefined) {
    const supported = ['PreferClose', 'PreferSameZone', 'PreferSameNode'];
    errors.push(...oneOf('spec.trafficDistribution', spec.trafficDistribution, supported));
  }
  return errors;
}

function errorsOfType(spec: ServiceSpec): readonly FieldError[] {
  const { type, clusterIPs = [], externalName = '' } = spec;
  if ((type === 'LoadBalancer' || type === 'NodePort') && isHeadless(spec)) {
    return [invalid('spec.clusterIPs[0]', clusterIPs[0], `may not be set to 'None' for ${type} services`)];
  }
  if (type !== 'ExternalName') return [];
  const refused = (field: string) => forbidden(`spec.${field}`, 'may not be set for ExternalName services');
  const name = externalName.endsWith('.') ? externalName.slice(0, -1) : externalName;
  return [
    ...(clusterIPs.length > 0 ? [refused('clusterIPs')] : []),
    ...((spec.ipFamilies ?? []).length > 0 ? [refused('ipFamilies')] : []),
    ...(spec.ipFamilyPolicy === undefined ? [] : [refused('ipFamilyPolicy')]),
    ...(name === '' ? [required('spec.externalName')] : dnsSubdomain('spec.externalName', name)),
  ];
}

function portErrors(
  { name = '', port, protocol = '', targetPort, appProtocol }: ServicePort,
  path: string,
  { many, names }: { readonly many: boolean; readonly names: Set<string> },
): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (many && name === '') errors.push(required(`${path}.name`));
  else if (name !== '') {
    errors.push(...dnsLabel(`${path}.name`, name));
    if (names.has(name)) errors.push(duplicate(`${path}.name`, name));
    names.add(name);
  }
  errors.push(...portNumber(`${path}.port`, port), ...oneOf(`${path}.protocol`, protocol, ['SCTP', 'TCP', 'UDP']));
  errors.push(
    ...(typeof targetPort === 'string'
      ? portName(`${path}.targetPort`, targetPort)
      : portNumber(`${path}.targetPort`, targetPort ?? 0)),
  );
  if (appProtocol !== undefined) errors.push(...qualifiedName(`${path}.appProtocol`, appProtocol));
  return errors;
}

function affinityErrors({ sessionAffinity = '', sessionAffinityConfig: config }: ServiceSpec): readonly FieldError[] {
  const path = 'spec.sessionAffinityConfig';
  switch (sessionAffinity) {
    case 'None':
      return config === undefined ? [] : [forbidden(path, 'must not be set when session affinity is None')];
    case 'ClientIP': {
      const seconds = config?.clientIP?.timeoutSeconds ?? 0;
      if (seconds > 0 && seconds <= 86_400) return [];
      return [invalid(`${path}.clientIP.timeoutSeconds`, seconds, 'must be greater than 0 and less than 86400')];
    }
    default:
      return [notSupported('spec.sessionAffinity', sessionAffinity, ['ClientIP', 'None'])];
  }
}

function repeatedPorts(ports: readonly ServicePort[]): readonly FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  const isAgain = (key: string) => seen.size === seen.add(key).size;
  ports.forEach(({ protocol, nodePort = 0 }, index) => {
    if (nodePort !== 0 && isAgain(`node ${protocol} ${nodePort}`)) {
      errors.push(duplicate(`spec.ports[${index}].nodePort`, nodePort));
    }
  });
  ports.forEach(({ protocol, port }, index) => {
    if (!isAgain(`${protocol} ${port}`)) return;
    const key = { Name: '', Protocol: protocol, AppProtocol: null, Port: port, TargetPort: 0, NodePort: 0 };
    errors.push(duplicate(`spec.ports[${index}]`, { toJSON: () => key }));
  });
  return errors;
}

function sourceRangeErrors(
  { type, loadBalancerSourceRanges: ranges = [] }: ServiceSpec,
  before: ServiceSpec | undefined,
  annotation: string | undefined,
): readonly FieldError[] {
  const isFor = (path: string) => (type === 'LoadBalancer' ? [] : [forbidden(path, onlyLoadBalancer)]);
  if (ranges.length > 0) {
    const path = 'spec.LoadBalancerSourceRanges';
    const had = (before?.loadBalancerSourceRanges ?? []).map((range) => range.trim());
    return [...isFor(path), ...ranges.flatMap((range, index) => legacyNetwork(`${path}[${index}]`, range.trim(), had))];
  }
  if (annotation === undefined) return [];
  const path = `metadata.annotations[${rangesAnnotation}]`;
  const texts = annotation.trim() === '' ? [] : annotation.split(',');
  return [...isFor(path), ...texts.flatMap((range) => legacyNetwork(path, range.trim()))];
}

/** Looked at twice when a Service is updated. */
export function loadBalancerClassErrors({ type, loadBalancerClass }: ServiceSpec): readonly FieldError[] {
  const path = 'spec.loadBalancerClass';
  if (loadBalancerClass === undefined) return [];
  return type === 'LoadBalancer' ? qualifiedName(path, loadBalancerClass) : [forbidden(path, onlyLoadBalancer)];
}

function externalTrafficErrors(spec: ServiceSpec): readonly FieldError[] {
  const { externalTrafficPolicy = '', healthCheckNodePort = 0 } = spec;
  const path = 'spec.externalTrafficPolicy';
  const healthPath = 'spec.healthCheckNodePort';
  const policyErrors = isReachable(spec)
    ? oneOf(path, externalTrafficPolicy, ['Cluster', 'Local'])
    : externalTrafficPolicy === ''
      ? []
      : [invalid(path, externalTrafficPolicy, 'may only be set for externally-accessible services')];
  const onlyWith = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
  const healthErrors = isHealthChecked(spec)
    ? portNumber(healthPath, healthCheckNodePort)
    : healthCheckNodePort === 0
      ? []
      : [invalid(healthPath, healthCheckNodePort, onlyWith)];
  return [...policyErrors, ...healthErrors];
}
