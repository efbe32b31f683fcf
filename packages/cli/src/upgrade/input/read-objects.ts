import type { CustomResourceDefinition } from '@isthmus/schema';
import type { KubernetesObject } from '@isthmus/machinery';
import { YamlReadError, firstOf, isRecord, parseManifests, yamlFieldLines } from '@isthmus/machinery';
import { readDefinition } from '@isthmus/upgrade';
import type { Io } from '../../world/io.ts';
import { UsageError } from '../../command/usage-error.ts';
import type { ShownFinding } from '../output/shown-finding.ts';
import {
  foreignDocument,
  isFormerDefinition,
  isPartOfDefinition,
  isTemplate,
  otherEncoding,
  partOfDefinition,
  repeatedKey,
  template,
} from './beside-objects.ts';
import type { PlacedObject } from './placed-object.ts';
import { filesBelow, isOtherEncoding, readText } from './read-input.ts';

/**
 * The objects in YAML and JSON files: of a file, or of all files below a folder whose names end in
 * .yaml, .yml or .json. Lists are split; empty documents and files of Kustomize itself are left
 * out. Keys that occur twice, and documents in folders that are not Kubernetes objects, are added
 * to `aside`. Errors: {@link UsageError} for a missing path and, in a named file, for invalid
 * syntax and for documents without apiVersion, kind and name.
 */
export async function readObjects(
  io: Io,
  paths: readonly string[],
  aside: ShownFinding[],
): Promise<readonly PlacedObject[]> {
  const found: PlacedObject[] = [];
  for (const path of paths)
    for (const file of await filesOf(io, path, aside))
      found.push(
        ...objectsOfFile(await textOf(io, file, { aside, isNamed: file === path }), file, {
          aside,
          isNamed: file === path,
        }),
      );
  return found;
}

async function textOf(io: Io, file: string, { aside, isNamed }: FileReading): Promise<string> {
  try {
    return await readText(io, file);
  } catch (error) {
    if (!isNamed && aside !== undefined && isOtherEncoding(error)) {
      aside.push(otherEncoding(file));
      return '';
    }
    if (!(error instanceof UsageError && / larger than \d+ bytes$/.test(error.message))) throw error;
    const cure = isNamed ? 'Split it, and pass a folder of its parts' : 'Split it, or keep it outside the folder';
    throw new UsageError(`${error.message}. ${cure}`, { cause: error });
  }
}

/**
 * The error for files without the wanted objects, with the documents that were not read and the
 * reasons.
 */
export function nothingIn(paths: string, what: string, aside: readonly ShownFinding[]): UsageError {
  const some = firstOf(aside, 5, ({ place = paths, why, unblock }) => `${place}: ${why}; ${unblock}`);
  return new UsageError([`no ${what} in ${paths}`, ...some].join('\n'));
}

/**
 * The CRDs of apiextensions.k8s.io/v1 among objects. Errors: {@link UsageError} for an object
 * without the shape of a CRD, with the line of each problem.
 */
export function definitionsIn(objects: readonly PlacedObject[]): readonly CustomResourceDefinition[] {
  return readDefinitions(objects).definitions;
}

/** The same, with the fields that CRDs do not have. Errors as those of {@link definitionsIn}. */
export function readDefinitions(objects: readonly PlacedObject[]): {
  readonly definitions: readonly CustomResourceDefinition[];
  readonly unknownFields: readonly ShownFinding[];
} {
  const readings = readingsIn(objects);
  const definitions = readings.map(({ definition }) => definition);
  return { definitions, unknownFields: readings.flatMap(unknownFieldsOf) };
}

function unknownFieldsOf({ definition, unknownFields, placed }: Reading): readonly ShownFinding[] {
  return unknownFields.map(({ path }): ShownFinding => ({
    rule: 'crd.unknown-field',
    severity: 'warn',
    place: placed.placeOf?.(path) ?? placed.place,
    subject: { object: definition.metadata.name, path },
    why: 'unknown field of a CustomResourceDefinition: API servers drop it, or reject it for strict clients such as kubectl',
    unblock: 'correct its name, or remove it',
  }));
}

interface Reading {
  readonly definition: CustomResourceDefinition;
  readonly unknownFields: readonly { readonly path: string }[];
  readonly placed: PlacedObject;
}

function readingsIn(objects: readonly PlacedObject[]): readonly Reading[] {
  return objects
    .filter((placed) => placed.object.kind === 'CustomResourceDefinition' && !isFormerDefinition(placed))
    .map((placed) => {
      const { object, place, placeOf } = placed;
      const reading = readDefinition(object);
      if (reading.kind === 'read') return { ...reading, placed };
      const lines = reading.problems.map(({ path, message }) => `${placeOf?.(path) ?? place}: ${path} ${message}`);
      throw new UsageError(
        [`${object.metadata.name ?? 'an object'} is not a CustomResourceDefinition`, ...lines].join('\n'),
      );
    });
}

/**
 * The files of a path; links that are not followed are added to `aside`. Errors: {@link UsageError}
 * for a missing path.
 */
export function filesOf(io: Pick<Io, 'listFiles'>, path: string, aside: ShownFinding[]): Promise<readonly string[]> {
  return filesBelow(
    io,
    path,
    aside,
    (file) => /\.(?:ya?ml|json)$/.test(file) && !/(?:^|\/)kustomization\.ya?ml$/.test(file),
  );
}

/**
 * The objects in a text. Keys that occur twice are added to `aside`. Errors: {@link UsageError} for
 * invalid syntax, for documents without apiVersion, kind and name, and, without `aside`, for a key
 * that occurs twice.
 */
export function objectsIn(text: string, source: string, aside?: ShownFinding[]): readonly PlacedObject[] {
  return objectsOfFile(text, source, { aside, isNamed: true });
}

interface FileReading {
  readonly aside?: ShownFinding[] | undefined;
  /** Whether the user named the file, rather than a folder with it. */
  readonly isNamed: boolean;
}

function objectsOfFile(text: string, source: string, { aside, isNamed }: FileReading): readonly PlacedObject[] {
  const unlessForeign = <T>(read: () => readonly T[]): readonly T[] => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof YamlReadError || error instanceof UsageError)) throw error;
      if (isNamed || aside === undefined) throw new UsageError(error.message, { cause: error });
      aside.push(
        error instanceof YamlReadError && isTemplate(text) ? template(source) : foreignDocument(error.message),
      );
      return [];
    }
  };
  const onRepeatedKey =
    aside === undefined
      ? undefined
      : (key: string, line: number) => {
          aside.push(repeatedKey(source, key, line));
        };
  return unlessForeign(() => parseManifests(text, { source, onRepeatedKey })).flatMap(({ value, line }, document) => {
    // Few are asked for, and only then is the text read again.
    const lineOf = yamlFieldLines(text, document);
    const objects = unlessForeign(() => objectsOf(value, `${source}:${line}`)).filter(({ object, place }) => {
      const isPart = !isNamed && aside !== undefined && isPartOfDefinition(object);
      if (isPart) aside.push(partOfDefinition(object, place));
      return !isPart;
    });
    return objects.map(({ path, ...one }) => ({
      ...one,
      placeOf: (field: string) => `${source}:${lineOf([path, field].filter((part) => part !== '').join('.'))}`,
    }));
  });
}

/**
 * The objects in a value: itself, the items of a list, none if it is empty. Errors:
 * {@link UsageError} with the place; for an item with its path, which each object also gets.
 */
export function objectsOf(
  value: unknown,
  place: string,
  path = '',
): readonly (PlacedObject & { readonly path: string })[] {
  if (value === null || value === undefined) return [];
  const at = path === '' ? place : `${place}: ${path}`;
  if (!isRecord(value) || !isTyped(value))
    throw new UsageError(`${at}: expected an object with apiVersion, kind and metadata.name`);
  const { apiVersion, kind, items, metadata } = value;
  // Files of Kustomize in a folder of manifests are never applied.
  if (apiVersion.startsWith('kustomize.config.k8s.io/') || apiVersion === 'builtin') return [];
  if (kind.endsWith('List') && (Array.isArray(items) || (items === null && !isNamed(metadata)))) {
    const all: readonly unknown[] = items ?? [];
    return all.flatMap((item, index) =>
      objectsOf(itemOf(value, item), place, `${path === '' ? '' : `${path}.`}items[${index}]`),
    );
  }
  if (!isRecord(metadata) || metadata['name'] === undefined || metadata['name'] === null)
    throw new UsageError(`${at}: ${kind} without metadata.name`);
  for (const name of ['name', 'namespace']) {
    const text = metadata[name] ?? undefined;
    if (text !== undefined && typeof text !== 'string')
      throw new UsageError(
        `${at}: metadata.${name} of a ${kind} must be a string, not ${JSON.stringify(text).slice(0, 40)}; put it in quotes`,
      );
  }
  return [{ object: value as unknown as KubernetesObject, place, path }];
}

function isTyped(
  value: Readonly<Record<string, unknown>>,
): value is Readonly<Record<string, unknown>> & { readonly apiVersion: string; readonly kind: string } {
  return typeof value['kind'] === 'string' && typeof value['apiVersion'] === 'string';
}

function isNamed(metadata: unknown): boolean {
  return isRecord(metadata) && typeof metadata['name'] === 'string';
}

/**
 * An item of a list. API servers leave out the kind of items in a list of one kind, such as
 * `PodList`; the item gets it here.
 */
export function itemOf(list: Readonly<Record<string, unknown>>, item: unknown): unknown {
  const { apiVersion, kind } = list;
  if (!isRecord(item) || item['kind'] !== undefined || item['apiVersion'] !== undefined) return item;
  if (typeof kind !== 'string' || kind === 'List') return item;
  return { apiVersion, kind: kind.slice(0, -'List'.length), ...item };
}
