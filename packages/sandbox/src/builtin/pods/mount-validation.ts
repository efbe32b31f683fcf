import type { Errors } from '../field-checks.ts';
import { optionalOneOf, requiredText, when } from '../field-checks.ts';
import { forbidden, invalid } from '../field-rules.ts';
import { descendingPathErrors } from './path-validation.ts';
import type { Container, Volume, VolumeMount } from './pod-spec.ts';

/** What is wrong with where a container sees its volumes. */
export function volumeMountErrors(path: string, container: Container, volumes: ReadonlyMap<string, Volume>): Errors {
  const { volumeMounts = [], volumeDevices = [] } = container;
  const taken = new Set<string>();
  return volumeMounts.flatMap((mount, index) => {
    const { name, mountPath, subPath = '', subPathExpr = '' } = mount;
    const at = `${path}[${index}]`;
    const repeated = taken.has(mountPath);
    taken.add(mountPath);
    // What is wrong with a sub-path names the list, not its item.
    return [
      ...requiredText(`${at}.name`, name),
      ...when(!volumes.has(name), { path: `${at}.name`, type: 'NotFound', value: name, detail: '' }),
      ...requiredText(`${at}.mountPath`, mountPath),
      ...when(repeated, invalid(`${at}.mountPath`, mountPath, 'must be unique')),
      ...when(
        volumeDevices.some((device) => device.name === name),
        invalid(`${at}.name`, name, 'must not already exist in volumeDevices'),
      ),
      ...when(
        volumeDevices.some((device) => device.devicePath === mountPath),
        invalid(`${at}.mountPath`, mountPath, 'must not already exist as a path in volumeDevices'),
      ),
      ...(subPath === '' ? [] : descendingPathErrors(`${path}.subPath`, subPath)),
      ...when(
        subPathExpr !== '' && subPath !== '',
        invalid(`${at}.subPathExpr`, subPathExpr, 'subPathExpr and subPath are mutually exclusive'),
      ),
      ...(subPathExpr === '' ? [] : descendingPathErrors(`${path}.subPathExpr`, subPathExpr)),
      ...propagationErrors(`${path}.mountPropagation`, mount, container),
      ...readOnlyErrors(`${path}.recursiveReadOnly`, mount),
    ];
  });
}

function propagationErrors(path: string, { mountPropagation }: VolumeMount, { securityContext }: Container): Errors {
  return [
    ...optionalOneOf(path, mountPropagation, ['Bidirectional', 'HostToContainer', 'None']),
    ...when(
      mountPropagation === 'Bidirectional' && securityContext?.privileged !== true,
      forbidden(path, 'Bidirectional mount propagation is available only to privileged containers'),
    ),
  ];
}

function readOnlyErrors(path: string, { recursiveReadOnly, readOnly, mountPropagation = 'None' }: VolumeMount): Errors {
  const asked = recursiveReadOnly === 'Enabled' || recursiveReadOnly === 'IfPossible';
  return [
    ...when(asked && readOnly !== true, forbidden(path, 'may only be specified when readOnly is true')),
    ...when(
      asked && mountPropagation !== 'None',
      forbidden(path, 'may only be specified when mountPropagation is None or not specified'),
    ),
    ...optionalOneOf(path, recursiveReadOnly, ['Disabled', 'Enabled', 'IfPossible']),
  ];
}

/** What is wrong with the raw devices of a container. */
export function volumeDeviceErrors(
  path: string,
  { volumeDevices = [], volumeMounts = [] }: Pick<Container, 'volumeDevices' | 'volumeMounts'>,
  volumes: ReadonlyMap<string, Volume>,
): Errors {
  const names = new Set<string>();
  const paths = new Set<string>();
  return volumeDevices.flatMap(({ name, devicePath }, index) => {
    const at = `${path}[${index}]`;
    const [nameTaken, pathTaken] = [names.has(name), paths.has(devicePath)];
    names.add(name);
    paths.add(devicePath);
    const volume = volumes.get(name);
    return [
      ...requiredText(`${at}.name`, name),
      ...when(nameTaken, invalid(`${at}.name`, name, 'must be unique')),
      ...when(
        volume !== undefined && volume.persistentVolumeClaim === undefined && !('ephemeral' in volume),
        invalid(
          `${at}.name`,
          name,
          'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode',
        ),
      ),
      ...when(volume === undefined, { path: `${at}.name`, type: 'NotFound', value: name, detail: '' }),
      ...requiredText(`${at}.devicePath`, devicePath),
      ...when(pathTaken, invalid(`${at}.devicePath`, devicePath, 'must be unique')),
      ...when(
        devicePath !== '' && devicePath.split('/').includes('..'),
        invalid(`${at}.devicePath`, devicePath, "can not contain backsteps ('..')"),
      ),
      ...when(
        volumeMounts.some((mount) => mount.name === name),
        invalid(`${at}.name`, name, 'must not already exist in volumeMounts'),
      ),
      ...when(
        volumeMounts.some((mount) => mount.mountPath === devicePath),
        invalid(`${at}.devicePath`, devicePath, 'must not already exist as a path in volumeMounts'),
      ),
    ];
  });
}
