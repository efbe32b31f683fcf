import type { CaseApi, Json } from '../case-api.ts';
import { contractArea } from '../contract-case.ts';
import { definitions, widgets } from './crd-fixtures.ts';

/** OpenAPI: the shape of objects and of requests. */
export const openapi = contractArea(
  'openapi',
  [
    {
      title: 'the index names a document per group version, with a hash',
      async run(api) {
        const { status, headers, body } = await api.quietly.get('/openapi/v3');
        const mine = ['api', 'api/v1', 'apis', 'apis/apps', 'apis/apps/v1', 'apis/coordination.k8s.io/v1', 'version'];
        const entries = mine.map((path) => [
          path,
          body.paths[path]?.serverRelativeURL.replace(/[0-9A-F]{128}/, 'HASH'),
        ]);
        api.note('GET /openapi/v3', { status, type: headers['content-type'], entries });
      },
    },
    {
      title: 'the hash of the index is the ETag of the document, which is not sent again',
      async run(api) {
        const { body } = await api.quietly.get('/openapi/v3');
        const [path = '', query = ''] = body.paths['apis/coordination.k8s.io/v1'].serverRelativeURL.split('?');
        const hash = query.replace('hash=', '');
        const first = await api.quietly.get(path, { query: { hash } });
        const { etag = '' } = first.headers;
        api.note('first', {
          status: first.status,
          type: first.headers['content-type'],
          same: etag === `"${hash}"`,
          vary: first.headers['vary'],
        });
        const again = await api.quietly.get(path, { query: { hash }, headers: { 'if-none-match': etag } });
        api.note('again', { status: again.status, body: again.body });
      },
    },
    {
      title: 'a document of a group version that is not there is 404 without a body',
      async run(api) {
        await api.get('/openapi/v3/apis/nothing.example.com/v1');
        await api.get('/openapi/v3/nothing');
        await api.get('/openapi/v4');
      },
    },
    ...['api', 'apis', 'apis/apps', 'version'].map((path) => ({
      title: `the document of ${path} is whole`,
      run: (api: CaseApi) => noteDocument(api, path, () => true),
    })),
    ...Object.entries({
      'apis/coordination.k8s.io/v1': ['leases'],
      'apis/discovery.k8s.io/v1': ['endpointslices'],
      'apis/apps/v1': ['deployments', 'statefulsets', 'controllerrevisions'],
      'apis/rbac.authorization.k8s.io/v1': ['clusterroles', 'roles'],
      'apis/authorization.k8s.io/v1': ['selfsubjectaccessreviews', 'localsubjectaccessreviews'],
      'apis/apiextensions.k8s.io/v1': ['customresourcedefinitions'],
      'api/v1': ['namespaces', 'configmaps', 'services', 'serviceaccounts', 'secrets', 'bindings'],
    }).map(([path, plurals]) => ({
      title: `the operations of ${path}: ${plurals.join(', ')}`,
      run: (api: CaseApi) => noteDocument(api, path, (one) => plurals.some((plural) => isOf(one, plural)), []),
    })),
    ...Object.entries({
      'api/v1': [
        'io.k8s.api.core.v1.Service',
        'io.k8s.api.core.v1.ServiceSpec',
        'io.k8s.api.core.v1.ServicePort',
        'io.k8s.api.core.v1.ConfigMapList',
        'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta',
        'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
        'io.k8s.apimachinery.pkg.api.resource.Quantity',
      ],
      'apis/apps/v1': [
        'io.k8s.api.apps.v1.DeploymentSpec',
        'io.k8s.api.core.v1.Container',
        'io.k8s.api.core.v1.PodSpec',
        'io.k8s.api.autoscaling.v1.Scale',
      ],
      'apis/coordination.k8s.io/v1': [
        'io.k8s.api.coordination.v1.LeaseSpec',
        'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions',
        'io.k8s.apimachinery.pkg.apis.meta.v1.Patch',
      ],
    }).map(([path, schemas]) => ({
      title: `the schemas of ${path}`,
      run: (api: CaseApi) => noteDocument(api, path, () => false, schemas),
    })),
    {
      title: 'the v2 document says the same in its own words',
      async run(api) {
        const { status, headers, body } = await api.quietly.get('/openapi/v2');
        const names = [
          'io.k8s.api.core.v1.Service',
          'io.k8s.api.core.v1.ServicePort',
          'io.k8s.api.core.v1.Container',
          'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
          'io.k8s.apimachinery.pkg.api.resource.Quantity',
          'io.k8s.apimachinery.pkg.apis.meta.v1.Time',
        ];
        const { swagger, info, security, securityDefinitions, definitions, paths } = body;
        const definitionsOf = Object.fromEntries(names.map((name) => [name, plain(definitions[name])]));
        const path = '/apis/apps/v1/namespaces/{namespace}/deployments/{name}';
        const { patch, get } = paths[path];
        const operations = [patch, get].map((one: Json) =>
          plain({
            ...one,
            parameters: one.parameters?.map((each: Json) => each.name ?? each.$ref.replace(/.*\/(\w+)-.*/, '$1')),
          }),
        );
        api.note('GET /openapi/v2', {
          status,
          type: headers['content-type'],
          swagger,
          info: info.title,
          security,
          securityDefinitions: plain(securityDefinitions),
          definitions: definitionsOf,
          operations,
        });
      },
    },
    {
      title: 'the v2 document is protobuf for whoever asks for it',
      async run(api) {
        const type = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
        const { status, headers, body } = await api.quietly.get('/openapi/v2', { headers: { accept: type } });
        const text = String(body);
        api.note('protobuf', {
          status,
          type: headers['content-type'],
          names: [
            'swagger',
            '2.0',
            'fieldValidation',
            'io.k8s.api.apps.v1.Deployment',
            'x-kubernetes-group-version-kind',
          ].map((name) => text.includes(name)),
        });
      },
    },
    {
      title: 'a custom kind is published with its schema, its list and its operations',
      async run(api) {
        const group = `${api.namespace}.example.com`;
        await establish(api, group);
        const key = `apis/${group}/v1`;
        const reversed = group.split('.').toReversed().join('.');
        const { body } = await api.quietly.get(`/openapi/v3/${key}`);
        const tell = (value: unknown) => {
          const title = `${group.charAt(0).toUpperCase()}${group.slice(1)}`
            .split(/[.-]/)
            .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
            .join('');
          const camel = `${title.charAt(0).toLowerCase()}${title.slice(1)}`;
          const text = JSON.stringify(plain(value))
            .replaceAll(reversed, 'REVERSED')
            .replaceAll(title, 'Group')
            .replaceAll(camel, 'group');
          return JSON.parse(text) as unknown;
        };
        api.note(
          'schemas',
          tell({
            lion: body.components.schemas[`${reversed}.v1.Lion`],
            list: body.components.schemas[`${reversed}.v1.LionList`],
            all: Object.keys(body.components.schemas),
          }),
        );
        api.note('paths', tell(body.paths));
        await api.settled(
          async () => (await api.quietly.get('/openapi/v2')).body.definitions[`${reversed}.v1.Lion`] !== undefined,
        );
        const second = await api.quietly.get('/openapi/v2');
        api.note('v2', tell(second.body.definitions[`${reversed}.v1.Lion`]));
        await api.quietly.delete(`${definitions}/lions.${group}`);
      },
    },
  ],
  { needsServerAlone: true },
);

async function establish(api: CaseApi, group: string): Promise<void> {
  const properties = {
    any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    embedded: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
    list: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: { type: 'object', required: ['k'], properties: { k: { type: 'string' } } },
    },
    map: { type: 'object', additionalProperties: { type: 'string' } },
    nullable: { type: 'string', nullable: true },
    port: { 'x-kubernetes-int-or-string': true },
    replicas: { type: 'integer', format: 'int32', minimum: 1, default: 2 },
    word: { type: 'string', enum: ['a', 'b'], pattern: '^[ab]$', maxLength: 3 },
  };
  const spec = {
    type: 'object',
    properties,
    'x-kubernetes-validations': [{ rule: 'self.replicas > 0', message: 'no' }],
  };
  const schema = {
    openAPIV3Schema: {
      type: 'object',
      required: ['spec'],
      properties: { spec, status: { type: 'object', properties: { replicas: { type: 'integer' } } } },
    },
  };
  const subresources = {
    status: {},
    scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
  };
  const names = { plural: 'lions', kind: 'Lion' };
  await api.quietly.post(definitions, widgets(api, { names }, { schema, subresources }));
  await api.settled(async () => (await api.quietly.get('/openapi/v3')).body.paths[`apis/${group}/v1`] !== undefined);
}

/** Whether a path is about a resource. The `/watch/` paths are deprecated and not served by all. */
function isOf(path: string, plural: string): boolean {
  const rest = path.replace(/^\/apis?(\/[\w.]+)?\/v1\//, '').replace(/^namespaces\/\{namespace\}\/(?=\w)/, '');
  return rest.split('/')[0] === plural && !rest.includes('/proxy');
}

/** Notes those paths and schemas of a document; all schemas if none are named. */
async function noteDocument(
  api: CaseApi,
  path: string,
  has: (path: string) => boolean,
  schemas?: readonly string[],
): Promise<void> {
  const { status, headers, body } = await api.quietly.get(`/openapi/v3/${path}`);
  const { components, paths, ...rest } = body;
  const mine = Object.entries(components.schemas).filter(([name]) => schemas === undefined || schemas.includes(name));
  api.note(`GET /openapi/v3/${path}`, {
    status,
    type: headers['content-type'],
    ...rest,
    paths: plain(Object.fromEntries(Object.entries(paths).filter(([one]) => has(one)))),
    schemas: plain(Object.fromEntries(mine)),
    securitySchemes: plain(components.securitySchemes),
  });
}

/**
 * The document without descriptions: ours has none, or its own. Fields named `description` stay.
 */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, one]) => key !== 'description' || typeof one !== 'string')
      .map(([key, one]) => [key, plain(one)]),
  );
}
