import type { ApiRequest } from '@isthmus/kube';
import type { Answer } from '../answer/answer.ts';
import { textAnswer } from '../answer/answer.ts';

/** The health checks. All of them pass if a sandbox answers, since no part of it starts later. */
const checks = [
  'ping',
  'log',
  'etcd',
  'poststarthook/start-apiextensions-controllers',
  'poststarthook/crd-informer-synced',
  'poststarthook/start-system-namespaces-controller',
  'poststarthook/rbac/bootstrap-roles',
  'autoregister-completion',
];

/** The checks of each endpoint, in their order. */
export const healthChecks: Readonly<Record<string, readonly string[]>> = {
  healthz: checks,
  livez: checks,
  readyz: [...checks, 'shutdown'],
};

/**
 * `/healthz`, `/livez`, `/readyz` (`?verbose`, `?exclude=`) and one path per check, for every
 * method.
 */
export function healthAnswer({ path, query = {} }: ApiRequest): Answer | undefined {
  const [, endpoint = '', ...rest] = path.split('/');
  const all = Object.hasOwn(healthChecks, endpoint) ? healthChecks[endpoint] : undefined;
  if (all === undefined) return undefined;
  if (rest.length > 0) return all.includes(rest.join('/')) ? textAnswer(200, 'ok') : undefined;
  if (query['verbose'] === undefined) return nosniff(textAnswer(200, 'ok'));
  const excluded = query['exclude'];
  const lines = all.map((check) => (check === excluded ? `[+]${check} excluded: ok` : `[+]${check} ok`));
  const missed =
    excluded === undefined || all.includes(excluded)
      ? []
      : [`warn: some health checks cannot be excluded: no matches for "${excluded}"`];
  return nosniff(textAnswer(200, [...lines, ...missed, `${endpoint} check passed`, ''].join('\n')));
}

function nosniff(answer: Answer): Answer {
  return { ...answer, headers: { 'x-content-type-options': 'nosniff' } };
}
