import type { Json } from '@isthmus/schema';
import { openApiSchemas } from '../builtin/types/open-api.ts';
import { servedGroups } from '../discovery/group-versions.ts';
import type { ServedGroup, ServedVersion } from '../discovery/group-versions.ts';
import { serverVersion } from '../discovery/server-version.ts';
import type { Core } from '../core/core.ts';
import { customSchemas, definitionOf } from './custom-definition.ts';
import { content, groupTitle, pathsOf, tagOf } from './operations.ts';
import type { Paths } from './operations.ts';

/** An OpenAPI v3 document. */
export interface OpenApiDocument {
  readonly openapi: '3.0.0';
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Paths;
  readonly components: Readonly<Record<string, Readonly<Record<string, Json>>>>;
}

/**
 * The source of a document, by its path below `/openapi/v3/`. The same `parts` make the same
 * document.
 */
export interface DocumentSource {
  readonly path: string;
  readonly parts: readonly unknown[];
  make(): OpenApiDocument;
}

/** Every document that the server has now, in the order of the index. */
export function documentSources(core: Core): readonly DocumentSource[] {
  const groups = servedGroups(core.registry);
  const single = (path: string, make: () => OpenApiDocument): DocumentSource => ({ path, parts: [], make });
  const all = groups.flatMap((group) => {
    const isCustom = group.versions.every(({ resources }) => resources.every(({ origin }) => origin === 'custom'));
    const versions = group.versions.map((version) => ofVersion(core, group, version));
    return group.name === '' || isCustom
      ? versions
      : [single(`apis/${group.name}`, () => groupDocument(group)), ...versions];
  });
  const roots = [
    single('api', () => rootDocument('/api/', { tag: 'core', id: 'getCoreAPIVersions', kind: 'APIVersions' })),
    single('apis', () => rootDocument('/apis/', { tag: 'apis', id: 'getAPIVersions', kind: 'APIGroupList' })),
    single('version', versionDocument),
  ];
  return [...all, ...roots].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** The title and version of the documents of custom kinds. */
const customInfo = { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' };

/**
 * The part of the real server that serves custom kinds does not know the options of these groups.
 */
const unknownToCustom: ReadonlySet<unknown> = new Set([
  'admission.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'imagepolicy.k8s.io',
]);

function knownToCustom(schema: Schema): Schema {
  const kinds = schema[kindsKey];
  if (!Array.isArray(kinds) || kinds.length < 2) return schema;
  const known = (kinds as readonly Schema[]).filter(({ group }) => !unknownToCustom.has(group));
  return { ...schema, [kindsKey]: known };
}

const kindsKey = 'x-kubernetes-group-version-kind';

type Schema = Readonly<Record<string, Json>>;

function mapValues(
  record: Readonly<Record<string, Schema>>,
  change: (schema: Schema) => Schema,
): Record<string, Schema> {
  return Object.fromEntries(Object.entries(record).map(([name, schema]) => [name, change(schema)]));
}

/** Documents that belong to no group. */
const core = { group: '', version: 'v1' };

function ofVersion(core: Core, { name }: ServedGroup, { version, resources }: ServedVersion): DocumentSource {
  const definitions = resources.map((resource) =>
    resource.origin === 'custom' ? definitionOf(core, resource) : undefined,
  );
  const root = name === '' ? `api/${version}` : `apis/${name}/${version}`;
  return {
    path: root,
    parts: [...resources, ...definitions.map((definition) => definition?.crd)],
    make() {
      const isCustom = resources.every(({ origin }) => origin === 'custom');
      const list: Paths = isCustom
        ? {}
        : {
            [`/${root}/`]: readOnly({
              tag: tagOf({ group: name, version }),
              id: `get${groupTitle(name)}${version.charAt(0).toUpperCase()}${version.slice(1)}APIResources`,
              kind: 'APIResourceList',
            }),
          };
      const paths: Paths = Object.assign(list, ...resources.map(pathsOf));
      const custom = resources.map((resource, index) => {
        const definition = definitions[index];
        return definition === undefined ? {} : customSchemas(resource, definition);
      });
      const published = Object.assign({}, ...custom);
      const needed = referredIn([paths, published]);
      if (isCustom) {
        const schemas = { ...mapValues(openApiSchemas(needed), knownToCustom), ...published };
        const { components, ...document } = documentOf(paths, schemas);
        return { ...document, info: customInfo, components: { schemas: components['schemas'] ?? {} } };
      }
      return documentOf(paths, { ...openApiSchemas(needed, { group: name, version }), ...published });
    },
  };
}

/** The definitions that something refers to. */
function referredIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) =>
    key === '$ref' && typeof one === 'string' ? [one.slice('#/components/schemas/'.length)] : referredIn(one),
  );
}

function groupDocument({ name }: ServedGroup): OpenApiDocument {
  const title = groupTitle(name);
  const tag = `${title.charAt(0).toLowerCase()}${title.slice(1)}`;
  return rootDocument(`/apis/${name}/`, { tag, id: `get${title}APIGroup`, kind: 'APIGroup' });
}

interface ReadOnly {
  readonly tag: string;
  readonly id: string;
  readonly kind: string;
}

function rootDocument(path: string, of: ReadOnly): OpenApiDocument {
  return documentOf({ [path]: readOnly(of) }, openApiSchemas([`${meta}.${of.kind}`], core));
}

function readOnly({ tag, id, kind }: ReadOnly): Paths[string] {
  const types = ['application/json', 'application/vnd.kubernetes.protobuf', 'application/yaml'];
  const ok = { description: 'OK', content: content(types, `${meta}.${kind}`) };
  return { get: { tags: [tag], operationId: id, responses: { '200': ok, '401': { description: 'Unauthorized' } } } };
}

function versionDocument(): OpenApiDocument {
  const info = 'io.k8s.apimachinery.pkg.version.Info';
  const ok = { description: 'OK', content: content(['application/json'], info) };
  const responses = { '200': ok, '401': { description: 'Unauthorized' } };
  const get = { tags: ['version'], operationId: 'getCodeVersion', responses };
  const names = Object.keys(serverVersion);
  const required = names.filter((name) => !/^(?:emulation|minCompatibility)/.test(name));
  const properties = names.map((name) => [name, { type: 'string', ...(required.includes(name) && { default: '' }) }]);
  const schema: Json = { type: 'object', required, properties: Object.fromEntries(properties) };
  return documentOf({ '/version/': { get } }, { [info]: schema });
}

function documentOf(paths: Paths, schemas: Readonly<Record<string, Json>>): OpenApiDocument {
  const byKey = <T>(record: Readonly<Record<string, T>>) =>
    Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: '1.36' },
    paths: byKey(paths),
    components: {
      schemas: byKey(schemas),
      securitySchemes: { BearerToken: { type: 'apiKey', name: 'authorization', in: 'header' } },
    },
  };
}
