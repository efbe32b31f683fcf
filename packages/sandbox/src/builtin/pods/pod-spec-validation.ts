import type { Errors } from '../field-checks.ts';
import { inRange, oneOfRequired, optionalText, when } from '../field-checks.ts';
import { legacyAddress } from '../address-rules.ts';
import {
  dnsLabel,
  dnsSubdomain,
  duplicate,
  labelsRule,
  notSupported,
  qualifiedName,
  required,
} from '../field-rules.ts';
import { containerErrors, hostNetworkErrors, initContainerErrors } from './container-validation.ts';
import type { PodSpec } from './pod-spec.ts';
import { affinityErrors, dnsErrors, spreadErrors, tolerationErrors } from './scheduling-validation.ts';
import { podSecurityErrors } from './security-validation.ts';
import { volumeErrors } from './volume-validation.ts';

/**
 * What is wrong with the spec of a Pod or of a template, in the order of the real server (1.36); the fields that are judged are those of
 * docs/sandbox/workload-fields.md.
 */
export function podSpecErrors(path: string, spec: PodSpec, isPod: boolean): Errors {
  const { errors, valid } = volumeErrors(`${path}.volumes`, spec.volumes ?? []);
  const context = { spec, volumes: valid };
  const { preemptionPolicy, schedulingGates = [] } = spec;
  const gates = schedulingGates.map(({ name }) => name);
  const preemptions = ['PreemptLowerPriority', 'Never'];
  return [
    ...when(spec.terminationGracePeriodSeconds === undefined, required(`${path}.terminationGracePeriodSeconds`)),
    ...errors,
    ...containerErrors(`${path}.containers`, context),
    ...initContainerErrors(`${path}.initContainers`, context),
    ...hostNetworkErrors(`${path}.containers`, spec, isPod),
    ...oneOfRequired(`${path}.restartPolicy`, spec.restartPolicy, ['Always', 'OnFailure', 'Never']),
    ...oneOfRequired(`${path}.dnsPolicy`, spec.dnsPolicy, [
      'ClusterFirstWithHostNet',
      'ClusterFirst',
      'Default',
      'None',
    ]),
    ...labelsRule(`${path}.nodeSelector`, spec.nodeSelector ?? {}),
    ...podSecurityErrors(`${path}.securityContext`, spec),
    ...affinityErrors(`${path}.affinity`, spec.affinity),
    ...dnsErrors(`${path}.dnsConfig`, spec),
    ...(spec.readinessGates ?? []).flatMap(({ conditionType }, index) =>
      qualifiedName(`${path}.readinessGates[${index}].conditionType`, conditionType),
    ),
    ...gates.flatMap((name, index) => [
      ...qualifiedName(`${path}.schedulingGates[${index}]`, name),
      ...when(gates.indexOf(name) < index, duplicate(`${path}.schedulingGates[${index}]`, name)),
    ]),
    ...spreadErrors(`${path}.topologySpreadConstraints`, spec.topologySpreadConstraints ?? []),
    ...optionalText(`${path}.serviceAccountName`, spec.serviceAccountName, dnsSubdomain),
    ...optionalText(`${path}.nodeName`, spec.nodeName, dnsSubdomain),
    ...inRange(`${path}.activeDeadlineSeconds`, spec.activeDeadlineSeconds, [1, 2_147_483_647]),
    ...optionalText(`${path}.hostname`, spec.hostname, dnsLabel),
    ...optionalText(`${path}.subdomain`, spec.subdomain, dnsLabel),
    ...tolerationErrors(`${path}.tolerations`, spec.tolerations ?? []),
    ...(spec.hostAliases ?? []).flatMap(({ ip = '', hostnames = [] }, index) => [
      ...legacyAddress(`${path}.hostAliases[${index}].ip`, ip),
      ...hostnames.flatMap((name, one) => dnsSubdomain(`${path}.hostAliases[${index}].hostnames[${one}]`, name)),
    ]),
    ...optionalText(`${path}.priorityClassName`, spec.priorityClassName, dnsSubdomain),
    ...(spec.runtimeClassName === undefined ? [] : dnsSubdomain(`${path}.runtimeClassName`, spec.runtimeClassName)),
    ...when(
      preemptionPolicy !== undefined && !preemptions.includes(preemptionPolicy),
      notSupported(`${path}.preemptionPolicy`, preemptionPolicy, preemptions),
    ),
  ];
}
