import type { Answer, CaseApi, Json } from '../case-api.ts';
import { contractArea } from '../contract-case.ts';
import { definitions, widgets } from './crd-fixtures.ts';

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/**
 * The built-in groups of the sandbox: all that the real server has, but for those of its own
 * workings.
 */
const groups = [
  'autoscaling',
  'batch',
  'certificates.k8s.io',
  'events.k8s.io',
  'flowcontrol.apiserver.k8s.io',
  'node.k8s.io',
  'policy',
  'resource.k8s.io',
  'scheduling.k8s.io',
  'storage.k8s.io',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'apps',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'coordination.k8s.io',
  'discovery.k8s.io',
  'networking.k8s.io',
  'rbac.authorization.k8s.io',
];

/**
 * Subresources that the sandbox has not: they lead into containers, or past the API. The comparison
 * leaves them out.
 */
export const missing = new Set(['attach', 'exec', 'log', 'portforward', 'proxy', 'resize']);

/** Discovery: the resources that the server serves. */
export const discovery = contractArea(
  'discovery',
  [
    {
      title: '/api names the versions of the core group',
      async run(api) {
        const { status, headers, body } = await api.quietly.get('/api');
        const [{ clientCIDR }] = body.serverAddressByClientCIDRs;
        api.note('GET /api', {
          status,
          type: headers['content-type'],
          ...body,
          serverAddressByClientCIDRs: [{ clientCIDR }],
        });
      },
    },
    {
      title: '/apis lists the groups by their priority',
      async run(api) {
        const { body } = await api.quietly.get('/apis');
        const mine = body.groups.filter(({ name }: Json) => groups.includes(name));
        api.note('GET /apis', { ...body, groups: mine });
      },
    },
    ...groups.map((group) => ({
      title: `/apis/${group} and the list of its v1`,
      async run(api: CaseApi) {
        await api.get(`/apis/${group}`);
        const { body } = await api.quietly.get(`/apis/${group}/v1`);
        api.note(`GET /apis/${group}/v1`, { ...body, resources: body.resources.filter(isMine) });
      },
    })),
    {
      title: '/api/v1 lists resources with their short names, categories, subresources and hashes',
      async run(api) {
        const { body } = await api.quietly.get('/api/v1');
        api.note('GET /api/v1', { ...body, resources: body.resources.filter(isMine) });
      },
    },
    {
      title: 'the aggregated document of /api has the core group whole',
      async run(api) {
        const answer = await api.quietly.get('/api', accept(aggregated));
        noteAggregated(api, answer);
      },
    },
    {
      title: 'the aggregated document of /apis has every group with its resources',
      async run(api) {
        const answer = await api.quietly.get('/apis', accept(`${aggregated},application/json`));
        noteAggregated(api, answer);
      },
    },
    {
      title: 'an aggregated document that the client has is not sent again',
      async run(api) {
        const { headers } = await api.quietly.get('/api', accept(aggregated));
        const { etag = '' } = headers;
        api.note('the form of the ETag', { form: etag.replace(/[0-9A-F]{128}/, 'HASH'), vary: headers['vary'] });
        const again = await api.quietly.get('/api', { headers: { accept: aggregated, 'if-none-match': etag } });
        api.note('asked again', { status: again.status, body: again.body, same: again.headers['etag'] === etag });
        const other = await api.quietly.get('/api', { headers: { accept: aggregated, 'if-none-match': '"0"' } });
        api.note('asked with another ETag', { status: other.status, same: other.headers['etag'] === etag });
        const groupsToo = await api.quietly.get('/apis', accept(aggregated));
        api.note('of /apis', (groupsToo.headers['etag'] ?? '').replace(/[0-9A-F]{128}/, 'HASH'));
      },
    },
    {
      title: 'an Accept header that names the aggregated form gets it, wherever it stands',
      async run(api) {
        const old = 'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList';
        const forms = {
          'as kubectl asks': `${aggregated},${old},application/json`,
          'plain first': `application/json,${aggregated}`,
          'a version that is gone, then plain': `${old},application/json`,
          'with a profile': `${aggregated};profile=nopeer`,
          nothing: '',
          anything: '*/*',
        };
        for (const [title, header] of Object.entries(forms)) {
          const { status, headers, body } = await api.quietly.get('/apis', accept(header));
          api.note(`GET /apis: ${title}`, { status, type: headers['content-type'], kind: body.kind });
        }
      },
    },
    {
      title: 'a form of discovery that is not there is not acceptable',
      async run(api) {
        await api.get('/apis', accept('application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList'));
        await api.get('/api', accept('application/json;g=apidiscovery.k8s.io;v=v3;as=APIGroupDiscoveryList'));
        await api.get('/apis', accept('text/html'));
        await api.get('/apis/apps', accept('text/html'));
        await api.get('/apis/apps/v1', accept('text/html'));
        await api.get('/apis/apps', accept(aggregated));
      },
    },
    {
      title: 'discovery is told as YAML too',
      async run(api) {
        await api.get('/apis/apps', accept('application/yaml'));
        await api.get('/apis/coordination.k8s.io/v1', accept('application/yaml'));
      },
    },
    {
      title: 'a group or version that is not there is 404',
      async run(api) {
        await api.get('/apis/nothing.example.com');
        await api.get('/apis/nothing.example.com/v1');
        await api.get('/apis/apps/v9');
        await api.get('/api/v9');
        await api.get('/apis/apps/v9/deployments');
        await api.get('/api/v9/pods');
      },
    },
    {
      title: 'a slash at the end changes nothing',
      async run(api) {
        for (const path of ['/api/', '/apis/', '/api/v1/', '/apis/apps/', '/apis/apps/v1/', '/version/']) {
          const { status, body } = await api.quietly.get(path);
          api.note(`GET ${path}`, { status, kind: body.kind });
        }
      },
    },
    {
      title: 'discovery is read only',
      async run(api) {
        await api.post('/api/v1', {});
        await api.put('/apis/apps', {});
        await api.delete('/apis/apps/v1');
        await api.post('/api', {});
        await api.post('/version', {});
        const { status, body } = await api.quietly.post('/apis', {});
        api.note('POST /apis', { status, kind: body.kind });
      },
    },
    {
      title: '/version says which Kubernetes it is',
      async run(api) {
        const { status, headers, body } = await api.quietly.get('/version');
        const { major, minor, emulationMajor, emulationMinor, minCompatibilityMajor, minCompatibilityMinor } = body;
        const said = { major, minor, emulationMajor, emulationMinor, minCompatibilityMajor, minCompatibilityMinor };
        const release = String(body.gitVersion).replace(/\+.*/, '');
        api.note('GET /version', { status, type: headers['content-type'], keys: Object.keys(body), ...said, release });
      },
    },
    {
      title: '/ lists the paths that are served',
      async run(api) {
        const { status, headers, body } = await api.quietly.get('/');
        const mine = ['/api', '/api/v1', '/apis', '/apis/', '/apis/apps', '/apis/apps/v1', '/healthz', '/healthz/ping'];
        const more = [
          '/livez',
          '/openapi/v2',
          '/openapi/v3',
          '/openapi/v3/',
          '/readyz',
          '/readyz/shutdown',
          '/version',
        ];
        const listed = body.paths.filter((path: string) => [...mine, ...more].includes(path));
        api.note('GET /', { status, type: headers['content-type'], listed, sorted: isSorted(body.paths) });
      },
    },
    {
      title: 'a path that is not there is 404 in plain text',
      async run(api) {
        await api.get('/nothing');
        await api.get('/healthz/nothing');
        await api.get('/apiss');
        await api.post('/nothing', {});
      },
    },
    {
      title: 'health is ok in one word',
      async run(api) {
        for (const path of ['/healthz', '/livez', '/readyz', '/livez/ping', '/readyz/etcd', '/readyz/shutdown']) {
          await api.get(path);
        }
        await api.post('/healthz', {});
      },
    },
    {
      title: 'verbose health lists the checks and ends with a verdict',
      async run(api) {
        for (const path of ['/healthz', '/livez', '/readyz']) {
          const { status, headers, body } = await api.quietly.get(path, { query: { verbose: '' } });
          noteHealth(api, path, { status, type: headers['content-type'], body });
        }
      },
    },
    {
      title: 'a check can be left out of health',
      async run(api) {
        for (const exclude of ['ping', 'nothing']) {
          const { status, headers, body } = await api.quietly.get('/readyz', { query: { verbose: '', exclude } });
          noteHealth(api, `/readyz without ${exclude}`, { status, type: headers['content-type'], body });
        }
        await api.get('/readyz', { query: { exclude: 'ping' } });
      },
    },
    {
      title: 'a custom kind is discovered by its versions, the preferred one first',
      async run(api) {
        const group = `${api.namespace}.example.com`;
        await establish(api, { group, versions: ['v1alpha1', 'v2', 'v1', 'v1beta1', 'v10'] });
        await api.get(`/apis/${group}`);
        const { body: list } = await api.quietly.get(`/apis/${group}/v1`);
        // The hash is of a name that differs from run to run.
        const resources = list.resources.map(({ storageVersionHash: hash, ...resource }: Json) => ({
          ...resource,
          hash: hash?.length,
        }));
        api.note('its v1', { ...list, resources });
        const { body } = await api.quietly.get('/apis', accept(aggregated));
        api.note(
          'aggregated',
          body.items.find(({ metadata }: Json) => metadata.name === group),
        );
        const placeOf = (name: string) => body.items.findIndex(({ metadata }: Json) => metadata.name === name);
        api.note('it stands behind the groups of the server', placeOf(group) > placeOf('apiextensions.k8s.io'));
        await api.get(`/apis/${group}/v9`);
        await api.quietly.delete(`${definitions}/lions.${group}`);
      },
    },
  ],
  { needsServerAlone: true },
);

/** Creates the CRD `lions.<group>` and waits until discovery lists it. */
async function establish(
  api: CaseApi,
  { group, versions }: { group: string; versions: readonly string[] },
): Promise<void> {
  const subresources = {
    status: {},
    scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
  };
  const spec = { type: 'object', properties: { replicas: { type: 'integer' } } };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
  const lions = widgets(api, {
    names: { plural: 'lions', kind: 'Lion', shortNames: ['li'], categories: ['zoo'] },
    versions: versions.map((name, index) => ({ name, served: true, storage: index === 0, schema, subresources })),
  });
  await api.quietly.post(definitions, lions);
  await api.settled(async () => {
    const { body } = await api.quietly.get('/apis', accept(aggregated));
    const found = body.items.find(({ metadata }: Json) => metadata.name === group);
    const old = await api.quietly.get('/apis');
    const known = old.body.groups.find(({ name }: Json) => name === group);
    return found?.versions.length === versions.length && known?.versions.length === versions.length;
  });
}

function accept(header: string): { readonly headers: Readonly<Record<string, string>> } {
  return { headers: { accept: header } };
}

/** Resources, and their subresources that the sandbox has. */
function isMine({ name }: Json): boolean {
  const [, subresource = ''] = name.split('/');
  return !missing.has(subresource);
}

function noteAggregated(api: CaseApi, { status, headers, body }: Answer): void {
  const known = body.items.filter(
    ({ metadata }: Json) => metadata.name === undefined || groups.includes(metadata.name),
  );
  const items = known.map(({ metadata, versions }: Json) => ({
    metadata,
    versions: versions.map(({ resources: all, ...version }: Json) => ({
      ...version,
      resources: all.map(({ subresources, ...resource }: Json) => ({
        ...resource,
        ...(subresources && { subresources: subresources.filter((one: Json) => !missing.has(one.subresource)) }),
      })),
    })),
  }));
  api.note('aggregated', { status, type: headers['content-type'], ...body, items });
}

/**
 * Notes the checks that the sandbox has, in their order, and the lines that are not passed checks.
 */
function noteHealth(
  api: CaseApi,
  line: string,
  { body, ...rest }: { status: number; type: unknown; body: string },
): void {
  const lines = body.split('\n');
  const mine = [
    'ping',
    'log',
    'etcd',
    'crd-informer-synced',
    'rbac/bootstrap-roles',
    'autoregister-completion',
    'shutdown',
  ];
  const checks = lines.filter((each) =>
    mine.some((check) => each.startsWith(`[+]${check} `) || each.includes(`/${check} `)),
  );
  api.note(line, { ...rest, checks, others: lines.filter((each) => !each.startsWith('[+]')) });
}

function isSorted(paths: readonly string[]): boolean {
  return paths.every((path, index) => index === 0 || (paths[index - 1] ?? '') < path);
}
