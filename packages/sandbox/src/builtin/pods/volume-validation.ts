import type { FieldError } from '@isthmus/schema';
import type { Errors } from '../field-checks.ts';
import { inRange, optionalOneOf, requiredText, when } from '../field-checks.ts';
import { dnsLabel, duplicate, forbidden, invalid, required } from '../field-rules.ts';
import { fieldRefErrors, resourceFieldErrors } from './env-validation.ts';
import { noBackstepsErrors, pathInVolumeErrors } from './path-validation.ts';
import type { DownwardFile, KeyToPath, Projection, ProjectedVolume, Volume } from './pod-spec.ts';
import { quantityValue } from './quantities.ts';

/** What is wrong with the volumes of a Pod, and those that are in order, by name. */
export function volumeErrors(
  path: string,
  volumes: readonly Volume[],
): { readonly errors: Errors; readonly valid: ReadonlyMap<string, Volume> } {
  const valid = new Map<string, Volume>();
  const errors = volumes.flatMap((volume, index) => {
    const at = `${path}[${index}]`;
    const found = [
      ...sourceErrors(at, volume),
      ...requiredText(`${at}.name`, volume.name, dnsLabel),
      ...when(valid.has(volume.name), duplicate(`${at}.name`, volume.name)),
    ];
    if (found.length === 0) valid.set(volume.name, volume);
    return found;
  });
  return { errors, valid };
}

/** The sources whose inside is judged, in the order in which the real server looks at them; any other source counts as one too. */
const sources = [
  'emptyDir',
  'hostPath',
  'secret',
  'persistentVolumeClaim',
  'downwardAPI',
  'configMap',
  'projected',
] as const;

function sourceErrors(path: string, volume: Volume): Errors {
  const errors: FieldError[] = [];
  let found = Object.keys(volume).some((key) => key !== 'name' && !(sources as readonly string[]).includes(key));
  for (const source of sources) {
    if (volume[source] === undefined) continue;
    if (found && source !== 'emptyDir')
      errors.push(forbidden(`${path}.${source}`, 'may not specify more than 1 volume type'));
    else errors.push(...insideErrors(`${path}.${source}`, source, volume));
    found = true;
  }
  return errors;
}

function insideErrors(path: string, source: (typeof sources)[number], volume: Volume): Errors {
  switch (source) {
    case 'emptyDir': {
      const limit = volume.emptyDir?.sizeLimit;
      const negative = limit !== undefined && limit !== null && quantityValue(limit) < 0n;
      return when(negative, forbidden(`${path}.sizeLimit`, 'SizeLimit field must be a valid resource quantity'));
    }
    case 'hostPath': {
      const { path: target = '', type } = volume.hostPath ?? {};
      if (target === '') return [required(`${path}.path`)];
      return [...noBackstepsErrors(`${path}.path`, target), ...optionalOneOf(`${path}.type`, type, hostPathTypes)];
    }
    case 'secret':
      return [
        ...requiredText(`${path}.secretName`, volume.secret?.secretName),
        ...modeErrors(`${path}.defaultMode`, volume.secret?.defaultMode),
        ...itemErrors(`${path}.items`, volume.secret?.items),
      ];
    case 'configMap':
      return [
        ...requiredText(`${path}.name`, volume.configMap?.name),
        ...modeErrors(`${path}.defaultMode`, volume.configMap?.defaultMode),
        ...itemErrors(`${path}.items`, volume.configMap?.items),
      ];
    case 'persistentVolumeClaim':
      return requiredText(`${path}.claimName`, volume.persistentVolumeClaim?.claimName);
    case 'downwardAPI':
      return [
        ...modeErrors(`${path}.defaultMode`, volume.downwardAPI?.defaultMode),
        ...(volume.downwardAPI?.items ?? []).flatMap((file) => downwardErrors(path, file)),
      ];
    case 'projected':
      return [
        ...modeErrors(`${path}.defaultMode`, volume.projected?.defaultMode),
        ...projectionErrors(path, volume.projected ?? {}),
      ];
  }
}

const hostPathTypes = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

function modeErrors(path: string, mode: number | undefined): Errors {
  const wrong = mode !== undefined && inRange(path, mode, [0, 0o777]).length > 0;
  return when(wrong, invalid(path, mode, 'must be a number between 0 and 0777 (octal), both inclusive'));
}

function itemErrors(path: string, items: readonly KeyToPath[] = []): Errors {
  return items.flatMap(({ key, path: target, mode }, index) => [
    ...requiredText(`${path}[${index}].key`, key),
    ...requiredText(`${path}[${index}].path`, target),
    ...pathInVolumeErrors(`${path}[${index}].path`, target),
    ...modeErrors(`${path}[${index}].mode`, mode),
  ]);
}

const volumeFields = ['metadata.annotations', 'metadata.labels', 'metadata.name', 'metadata.namespace', 'metadata.uid'];

/** The errors of a file name its volume, not its place in it. */
function downwardErrors(path: string, { path: target, fieldRef, resourceFieldRef, mode }: DownwardFile): Errors {
  const source =
    fieldRef !== undefined
      ? [
          ...fieldRefErrors(`${path}.fieldRef`, fieldRef, volumeFields),
          ...when(
            resourceFieldRef !== undefined,
            invalid(path, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'),
          ),
        ]
      : resourceFieldRef !== undefined
        ? resourceFieldErrors(`${path}.resourceFieldRef`, resourceFieldRef, { inVolume: true })
        : [required(path, 'one of fieldRef and resourceFieldRef is required')];
  return [
    ...requiredText(`${path}.path`, target),
    ...pathInVolumeErrors(`${path}.path`, target),
    ...source,
    ...modeErrors(`${path}.mode`, mode),
  ];
}

function projectionErrors(path: string, { sources: given = [] }: ProjectedVolume): Errors {
  const taken = new Set<string>();
  /** Each file has a path of its own. `shown`: what the real server shows in its place. */
  const pathErrors = (target: string, shown: string): Errors => {
    if (target === '') return [];
    const repeated = taken.has(target);
    taken.add(target);
    return when(repeated, invalid(path, shown, 'conflicting duplicate paths'));
  };
  return (given ?? []).flatMap((source, index) => {
    const at = `${path}.sources[${index}]`;
    const { serviceAccountToken: token, downwardAPI } = source;
    const [, second] = projections.filter((kind) => source[kind] !== undefined);
    return [
      ...(['secret', 'configMap'] as const).flatMap((kind) => {
        const { name = '', items = [] } = source[kind] ?? {};
        if (source[kind] === undefined) return [];
        return [
          ...requiredText(`${at}.${kind}.name`, name),
          ...items.flatMap((item, place) => [
            ...itemErrors(`${at}.${kind}.items`, [item]).map((error) => ({
              ...error,
              path: error.path.replace('.items[0]', `.items[${place}]`),
            })),
            ...pathErrors(item.path, name),
          ]),
        ];
      }),
      ...(downwardAPI?.items ?? []).flatMap((file) => [
        ...downwardErrors(`${at}.downwardAPI`, file),
        ...pathErrors(file.path, file.path),
      ]),
      ...(token === undefined ? [] : tokenErrors(path, `${at}.serviceAccountToken`, token)),
      ...when(second !== undefined, forbidden(at, 'may not specify more than 1 volume type per source')),
    ];
  });
}

const projections = [
  'secret',
  'configMap',
  'downwardAPI',
  'serviceAccountToken',
  'clusterTrustBundle',
  'podCertificate',
] as const;

function tokenErrors(
  volumePath: string,
  path: string,
  { path: target, expirationSeconds = 0 }: NonNullable<Projection['serviceAccountToken']>,
): Errors {
  const at = `${path}.expirationSeconds`;
  return [
    ...when(expirationSeconds < 600, invalid(at, expirationSeconds, 'may not specify a duration less than 10 minutes')),
    ...when(
      expirationSeconds > 2 ** 32,
      invalid(at, expirationSeconds, 'may not specify a duration larger than 2^32 seconds'),
    ),
    ...requiredText(`${volumePath}.path`, target, pathInVolumeErrors),
  ];
}
