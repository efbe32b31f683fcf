import type { Errors } from '../field-checks.ts';
import { optionalText, problems, requiredText, when } from '../field-checks.ts';
import { dnsSubdomain, invalid, notSupported } from '../field-rules.ts';
import { qualifiedNameErrors } from '@isthmus/machinery';
import type { EnvFrom, EnvVar, FieldRef, ResourceFieldRef } from './pod-spec.ts';

/** The errors of an environment variable, including those of its source. */
export function envVarErrors(path: string, { name, value = '', valueFrom }: EnvVar): Errors {
  return [
    ...optionalText(`${path}.name`, name, envName),
    ...(valueFrom === undefined ? [] : sourceErrors(`${path}.valueFrom`, value, valueFrom)),
  ];
}

/**
 * The errors of the sources of a container's environment. If an item has no source or several, the
 * error names the list, not the item.
 */
export function envFromErrors(path: string, sources: readonly EnvFrom[]): Errors {
  return sources.flatMap(({ prefix, configMapRef, secretRef }, index) => {
    const at = `${path}[${index}]`;
    const count = [configMapRef, secretRef].filter((source) => source !== undefined).length;
    return [
      ...optionalText(`${at}.prefix`, prefix, envName),
      ...(configMapRef === undefined ? [] : requiredText(`${at}.configMapRef.name`, configMapRef.name, dnsSubdomain)),
      ...(secretRef === undefined ? [] : requiredText(`${at}.secretRef.name`, secretRef.name, dnsSubdomain)),
      ...when(count === 0, invalid(path, '', 'must specify one of: `configMapRef` or `secretRef`')),
      ...when(count > 1, invalid(path, '', 'may not have more than one field specified at a time')),
    ];
  });
}

const sources = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'] as const;
const oneOfSources =
  'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`';

function sourceErrors(path: string, value: string, valueFrom: NonNullable<EnvVar['valueFrom']>): Errors {
  const { fieldRef } = valueFrom;
  const count = sources.filter((source) => valueFrom[source] !== undefined).length;
  const given = count > 0 && value !== '';
  return [
    ...(fieldRef === undefined ? [] : fieldRefErrors(`${path}.fieldRef`, fieldRef)),
    ...when(count === 0, invalid(path, '', oneOfSources)),
    ...when(given, invalid(path, '', 'may not be specified when `value` is not empty')),
    ...when(!given && count > 1, invalid(path, '', 'may not have more than one field specified at a time')),
  ];
}

const envFields = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];
const knownFields = new Set([
  ...envFields,
  'metadata.annotations',
  'metadata.labels',
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
]);

/**
 * A field of the Pod, by its path: one of those that a container may know, or a single label or
 * annotation.
 */
function fieldRefErrors(path: string, { apiVersion = '', fieldPath }: FieldRef): Errors {
  if (fieldPath === '') return [];
  const unreadable = (why: string) => [invalid(`${path}.fieldPath`, fieldPath, `error converting fieldPath: ${why}`)];
  if (apiVersion !== 'v1') return unreadable(`unsupported pod version: ${apiVersion}`);
  const [, field, key = ''] = /^(metadata\.labels|metadata\.annotations)\['(.*)'\]$/.exec(fieldPath) ?? [];
  if (field !== undefined) return problems(path, key, qualifiedNameErrors(key));
  if (!knownFields.has(fieldPath)) return unreadable(`field label not supported: ${fieldPath}`);
  return when(!envFields.includes(fieldPath), notSupported(`${path}.fieldPath`, fieldPath, envFields));
}

const resourceFields = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];

/** A resource of a container, by its name. */
export function resourceFieldErrors(path: string, { resource }: ResourceFieldRef): Errors {
  const known = resource === '' || resourceFields.includes(resource) || resource.includes('.hugepages-');
  return when(!known, notSupported(`${path}.resource`, resource, resourceFields));
}

function envName(path: string, name: string): Errors {
  const rule = "a valid environment variable name must consist only of printable ASCII characters other than '='";
  return when(/[^\x20-\x7e]|=/.test(name), invalid(path, name, rule));
}
