import { isTrue, selectableOf } from '@isthmus/schema';
import { statusSubresource } from '../builtin/define.ts';
import type { ServedResource, Subresource } from '../registry/served-resource.ts';
import { resourceVerbs } from '../request/verbs.ts';
import { compiledVersions } from '../definition/compile-version.ts';
import type { CompiledVersions, VersionCompiler } from '../definition/compile-version.ts';
import { customDecoder } from './custom-decoder.ts';
import { customColumns } from './custom-columns.ts';
import { customStrategy } from './custom-strategy.ts';
import type { Definition, Version } from '../definition/definition.ts';

/**
 * The verbs in the order in which the real server lists them for custom kinds: `create` comes
 * before `update`.
 */
const customVerbs = resourceVerbs
  .filter((verb) => verb !== 'create')
  .flatMap((verb) => (verb === 'update' ? (['create', 'update'] as const) : [verb]));

/** The versions of a definition that are served at this moment. */
export function servedVersions(definition: Definition, compile: VersionCompiler): readonly ServedResource[] {
  if (!isTrue(definition, 'NamesAccepted') && !isTrue(definition, 'Established')) return [];
  const schemas = compiledVersions(definition, compile);
  return definition.spec.versions
    .filter(({ served }) => served === true)
    .map((version) => customResource(definition, version, schemas));
}

function customResource(definition: Definition, version: Version, schemas: CompiledVersions): ServedResource {
  const { group, names, scope, versions } = definition.spec;
  const storage = versions.find((one) => one.storage === true) ?? version;
  const compiled = schemas(`${group}/${version.name}`);
  return {
    group,
    version: version.name,
    kind: names.kind,
    plural: names.plural,
    singular: names.singular ?? '',
    namespaced: scope === 'Namespaced',
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    verbs: customVerbs,
    storageKey: `${group}/${names.plural}`,
    storageVersion: `${group}/${storage.name}`,
    type: compiled.type,
    decode: customDecoder(compiled.object),
    strategy: customStrategy(definition, version, compiled),
    columns: customColumns(version),
    subresources: subresourcesOf(version),
    selectable: selectableOf(version),
    deprecation: deprecationOf(definition, version),
    origin: 'custom',
    definition,
    schemas,
  };
}

function subresourcesOf({ subresources }: Version): readonly Subresource[] {
  const scale: Subresource = {
    name: 'scale',
    kind: 'scale',
    response: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
    verbs: ['get', 'patch', 'update'],
    scale: subresources?.scale,
  };
  return [
    ...(subresources?.status === undefined ? [] : [statusSubresource]),
    ...(subresources?.scale === undefined ? [] : [scale]),
  ];
}

/**
 * The deprecation warning. Its text recommends the highest version that is served and not
 * deprecated.
 */
function deprecationOf({ spec }: Definition, version: Version): string | undefined {
  if (version.deprecated !== true) return undefined;
  if (version.deprecationWarning !== undefined) return version.deprecationWarning;
  const { group, names, versions } = spec;
  const better = versions
    .filter((one) => one.served === true && one.deprecated !== true)
    .map(({ name }) => name)
    .sort(byPriority)[0];
  const use = better === undefined ? '' : `; use ${group}/${better} ${names.kind}`;
  return `${group}/${version.name} ${names.kind} is deprecated${use}`;
}

/**
 * Kubernetes' order of versions: stable ones before betas before alphas, higher numbers first, odd
 * names last.
 */
function byPriority(a: string, b: string): number {
  const [one, other] = [rankOf(a), rankOf(b)];
  for (let at = 0; at < one.length; at++) {
    const difference = (other[at] ?? 0) - (one[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return a < b ? -1 : a > b ? 1 : 0;
}

function rankOf(name: string): readonly number[] {
  const parts = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(name);
  if (parts === null) return [0, 0, 0];
  const stage = parts[2] === undefined ? 3 : parts[2] === 'beta' ? 2 : 1;
  return [stage, Number(parts[1]), Number(parts[3] ?? 0)];
}
