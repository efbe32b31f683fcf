import { failureStatus } from '@isthmus/machinery';
import type { ApiRequest } from '@isthmus/kube';
import { answerYaml } from '../encoding/yaml.ts';
import { openApiAnswers, openApiPaths } from '../openapi/documents.ts';
import type { Answer } from '../answer/answer.ts';
import { jsonAnswer } from '../answer/answer.ts';
import type { Core } from '../core/core.ts';
import { checkAcceptable, negotiate } from '../answer/negotiate.ts';
import { Refusal } from '../refusal/refusal.ts';
import { acceptsAggregated, aggregatedType, apiGroupDiscoveryList } from '../discovery/aggregated.ts';
import { contentHash } from '../discovery/digest.ts';
import { servedGroups } from '../discovery/group-versions.ts';
import type { ServedGroup } from '../discovery/group-versions.ts';
import { healthAnswer, healthChecks } from './health.ts';
import { metricsAnswer } from './metrics.ts';
import { apiGroup, apiGroupList, apiResourceList, apiVersions } from '../discovery/legacy.ts';
import { serverVersion } from '../discovery/server-version.ts';

/** The address that the server reports for itself; clients do not use it. */
const address = '127.0.0.1:6443';

/**
 * The documents of the server: discovery, OpenAPI, health and version. They describe the Registry
 * at the time of the request.
 */
export function documentsOf(core: Core): (request: ApiRequest) => Answer | undefined {
  const openApi = openApiAnswers(core);
  return (request) => {
    const path = request.path.length > 1 && request.path.endsWith('/') ? request.path.slice(0, -1) : request.path;
    return (
      healthAnswer(request) ??
      metricsAnswer(core, request) ??
      versionAnswer(request, path) ??
      openApi(request) ??
      discoveryAnswer(core, request, path)
    );
  };
}

function versionAnswer(request: ApiRequest, path: string): Answer | undefined {
  if (path.startsWith('/version/')) return unknownVersion();
  if (path !== '/version') return undefined;
  return ofGet(request, () => {
    checkAcceptable(request.headers?.['accept'], [], ['application/json']);
    return jsonAnswer(200, serverVersion);
  });
}

function discoveryAnswer(core: Core, request: ApiRequest, path: string): Answer | undefined {
  if (path === '/') return jsonAnswer(200, { paths: rootPaths(servedGroups(core.registry)) });
  const [, prefix, ...rest] = path.split('/');
  if ((prefix !== 'api' && prefix !== 'apis') || rest.length > (prefix === 'api' ? 1 : 2)) return undefined;
  const groups = servedGroups(core.registry);
  const coreGroups = groups.filter(({ name }) => name === '');
  const named = groups.filter(({ name }) => name !== '');
  if (rest.length === 0) {
    const mine = prefix === 'api' ? coreGroups : named;
    if (acceptsAggregated(request.headers?.['accept'])) return aggregatedAnswer(request, mine);
    return prefix === 'api'
      ? ofGet(request, () => formatted(request, apiVersions(mine[0]?.versions ?? [], address)))
      : formatted(request, apiGroupList(mine));
  }
  const [groupName, versionName] = prefix === 'api' ? ['', rest[0]] : rest;
  const group = (prefix === 'api' ? coreGroups : named).find(({ name }) => name === groupName);
  if (group === undefined) return prefix === 'api' ? ofGet(request, unknownVersion) : undefined;
  if (versionName === undefined) return formatted(request, apiGroup(group));
  const version = group.versions.find((each) => each.version === versionName);
  const isCustom = group.versions.every(({ resources }) => resources.every(({ origin }) => origin === 'custom'));
  if (version !== undefined) {
    // Routes of built-in groups accept only GET, and check the media type. Routes of groups and
    // custom versions accept every method.
    if (isCustom) return formatted(request, apiResourceList(group, version));
    return ofGet(request, () => {
      checkAcceptable(request.headers?.['accept']);
      return formatted(request, apiResourceList(group, version));
    });
  }
  return isCustom ? undefined : ofGet(request, unknownVersion);
}

/** An aggregated document; 304 if the client has it already. */
function aggregatedAnswer({ headers }: ApiRequest, groups: readonly ServedGroup[]): Answer {
  const body = JSON.stringify(apiGroupDiscoveryList(groups));
  const etag = `"${contentHash(body)}"`;
  const about = { etag, vary: 'Accept', 'cache-control': 'public' };
  return headers?.['if-none-match'] === etag
    ? { status: 304, contentType: '', headers: about, body: '' }
    : { status: 200, contentType: aggregatedType, headers: about, body };
}

function formatted({ headers }: ApiRequest, value: object): Answer {
  const { format } = negotiate(headers?.['accept']);
  if (format === 'json') return jsonAnswer(200, value);
  return { status: 200, contentType: 'application/yaml', body: answerYaml(value) };
}

function ofGet({ method }: ApiRequest, answer: () => Answer): Answer {
  if (method === 'GET') return answer();
  const message = 'the server does not allow this method on the requested resource';
  throw new Refusal(failureStatus({ reason: 'MethodNotAllowed', message, details: {} }));
}

function unknownVersion(): never {
  const message = 'the server could not find the requested resource';
  throw new Refusal(failureStatus({ reason: 'NotFound', message, details: {} }));
}

/** `/`: every path of a document, bytewise. */
function rootPaths(groups: readonly ServedGroup[]): readonly string[] {
  const discovery = groups.flatMap(({ name, versions }) =>
    name === ''
      ? ['/api', ...versions.map(({ version }) => `/api/${version}`)]
      : [`/apis/${name}`, ...versions.map(({ version }) => `/apis/${name}/${version}`)],
  );
  const health = Object.entries(healthChecks).flatMap(([endpoint, checks]) => [
    `/${endpoint}`,
    ...checks.map((check) => `/${endpoint}/${check}`),
  ]);
  return [...discovery, '/apis', '/apis/', ...health, ...openApiPaths, '/metrics', '/version'].toSorted((a, b) =>
    a < b ? -1 : 1,
  );
}
