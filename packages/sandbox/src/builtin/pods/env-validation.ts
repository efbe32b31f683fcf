import { dns1123SubdomainErrors, qualifiedNameErrors } from '@isthmus/machinery';
import type { Errors } from '../field-checks.ts';
import { problems, requiredText, when } from '../field-checks.ts';
import { configKeyErrors, invalid, notSupported, required } from '../field-rules.ts';
import type { EnvFrom, EnvVar, FieldRef, KeyRef, ResourceFieldRef } from './pod-spec.ts';

/** What is wrong with the environment variables of a container. */
export function envErrors(path: string, env: readonly EnvVar[]): Errors {
  return env.flatMap((variable, index) => [
    ...requiredText(`${path}[${index}].name`, variable.name, envName),
    ...sourceErrors(`${path}[${index}].valueFrom`, variable),
  ]);
}

/** What is wrong with the sources of a container's environment. */
export function envFromErrors(path: string, sources: readonly EnvFrom[]): Errors {
  return sources.flatMap(({ prefix = '', configMapRef, secretRef }, index) => {
    const at = `${path}[${index}]`;
    const count = [configMapRef, secretRef].filter((source) => source !== undefined).length;
    // The errors of the whole name the list, not its item.
    return [
      ...(prefix === '' ? [] : envName(`${at}.prefix`, prefix)),
      ...(configMapRef === undefined ? [] : requiredText(`${at}.configMapRef.name`, configMapRef.name, prefixName)),
      ...(secretRef === undefined ? [] : requiredText(`${at}.secretRef.name`, secretRef.name, prefixName)),
      ...when(count === 0, invalid(path, '', 'must specify one of: `configMapRef` or `secretRef`')),
      ...when(count > 1, invalid(path, '', 'may not have more than one field specified at a time')),
    ];
  });
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

function sourceErrors(path: string, { value = '', valueFrom }: EnvVar): Errors {
  if (valueFrom === undefined) return [];
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = valueFrom;
  const count = [fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef].filter(
    (source) => source !== undefined,
  ).length;
  const whole =
    count === 0
      ? 'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`'
      : value !== ''
        ? 'may not be specified when `value` is not empty'
        : count > 1
          ? 'may not have more than one field specified at a time'
          : undefined;
  return [
    ...(fieldRef === undefined ? [] : fieldRefErrors(`${path}.fieldRef`, fieldRef, envFields)),
    ...(resourceFieldRef === undefined
      ? []
      : resourceFieldErrors(`${path}.resourceFieldRef`, resourceFieldRef, { inVolume: false })),
    ...(configMapKeyRef === undefined ? [] : keyRefErrors(`${path}.configMapKeyRef`, configMapKeyRef)),
    ...(secretKeyRef === undefined ? [] : keyRefErrors(`${path}.secretKeyRef`, secretKeyRef)),
    ...(whole === undefined ? [] : [invalid(path, '', whole)]),
  ];
}

const knownFields = new Set([
  ...envFields,
  'metadata.annotations',
  'metadata.labels',
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
]);

/** A field of the Pod, by its path. `supported`: the paths that may stand here, beside single labels and annotations. */
export function fieldRefErrors(
  path: string,
  { apiVersion = '', fieldPath }: FieldRef,
  supported: readonly string[],
): Errors {
  if (apiVersion === '') return [required(`${path}.apiVersion`)];
  if (fieldPath === '') return [required(`${path}.fieldPath`)];
  const unreadable = (why: string) => [invalid(`${path}.fieldPath`, fieldPath, `error converting fieldPath: ${why}`)];
  if (apiVersion !== 'v1') return unreadable(`unsupported pod version: ${apiVersion}`);
  const subscripted = /^(.*)\['(.*)'\]$/.exec(fieldPath);
  if (subscripted !== null) {
    const [, field = '', key = ''] = subscripted;
    if (field === 'metadata.annotations')
      return problems(path, key.toLowerCase(), qualifiedNameErrors(key.toLowerCase()));
    if (field === 'metadata.labels') return problems(path, key, qualifiedNameErrors(key));
    return unreadable(`field label does not support subscript: ${fieldPath}`);
  }
  const read = fieldPath === 'spec.host' ? 'spec.nodeName' : fieldPath;
  if (!knownFields.has(read)) return unreadable(`field label not supported: ${fieldPath}`);
  return when(!supported.includes(read), notSupported(`${path}.fieldPath`, read, supported));
}

const resourceFields = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];
const hugePages = /^(requests|limits)\.hugepages-/;
const sizes = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];

/** A resource of a container, by its name. */
export function resourceFieldErrors(
  path: string,
  { containerName = '', resource, divisor = '0' }: ResourceFieldRef,
  { inVolume }: { readonly inVolume: boolean },
): Errors {
  const first =
    inVolume && containerName === ''
      ? [required(`${path}.containerName`)]
      : resource === ''
        ? [required(`${path}.resource`)]
        : when(
            !resourceFields.includes(resource) && !hugePages.test(resource),
            notSupported(`${path}.resource`, resource, resourceFields),
          );
  const [what, divisors] = divisorsOf(resource);
  const wrong = divisor !== '0' && divisor !== '' && divisors !== undefined && !divisors.includes(divisor);
  const allowed = what === 'cpu' ? '1m and 1' : sizes.join(', ');
  const detail = `only divisor's values ${allowed} are supported with the ${what} resource`;
  return [...first, ...when(wrong, invalid(`${path}.divisor`, resource, detail))];
}

function divisorsOf(resource: string): readonly [string, readonly string[] | undefined] {
  const name = resource.replace(/^(limits|requests)\./, '');
  if (name === 'cpu') return ['cpu', ['1m', '1']];
  if (name === 'memory') return ['memory', sizes];
  if (name === 'ephemeral-storage') return ['local ephemeral storage', sizes];
  return ['hugepages', hugePages.test(resource) ? sizes : undefined];
}

function keyRefErrors(path: string, { name = '', key }: KeyRef): Errors {
  return [
    ...problems(`${path}.name`, name, dns1123SubdomainErrors(name).map(inCharacters)),
    ...requiredText(`${path}.key`, key, (at, value) => problems(at, value, configKeyErrors(value))),
  ];
}

function prefixName(path: string, name: string): Errors {
  const shown = name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name;
  return problems(path, name, dns1123SubdomainErrors(shown).map(inCharacters));
}

function inCharacters(text: string): string {
  return text.replace(/^(must be no more than \d+) bytes$/, '$1 characters');
}

function envName(path: string, name: string): Errors {
  const rule = "a valid environment variable name must consist only of printable ASCII characters other than '='";
  return when(/[^\x20-\x7e]|=/.test(name), invalid(path, name, rule));
}
