import type { ApiRequest } from '@isthmus/kube';
import type { Answer } from '../answer/answer.ts';
import type { Core } from '../core/core.ts';
import { serverVersion } from '../discovery/server-version.ts';

/**
 * `/metrics`, in the text format of Prometheus: the version of the server, and the number of stored
 * objects of each resource. Both have the names of a real server. A sandbox does not measure
 * requests, latencies or its process. Undefined for any other path.
 */
export function metricsAnswer({ registry, store }: Core, { path }: ApiRequest): Answer | undefined {
  if (path !== '/metrics') return undefined;
  const { major, minor, gitVersion, platform } = serverVersion;
  const counts = new Map(
    registry
      .all()
      .filter(({ virtual }) => virtual !== true)
      .map(({ storageKey }) => [storageKey, store.list(storageKey).length]),
  );
  const objects = [...counts]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, count]) => {
      const [group = '', resource = ''] = key.split('/');
      return `apiserver_resource_objects{${labels({ group, resource })}} ${count}`;
    });
  const lines = [
    '# HELP kubernetes_build_info The version of Kubernetes that the server stands for.',
    '# TYPE kubernetes_build_info gauge',
    `kubernetes_build_info{${labels({ git_version: gitVersion, major, minor, platform })}} 1`,
    '# HELP apiserver_resource_objects The number of objects that are stored, by resource.',
    '# TYPE apiserver_resource_objects gauge',
    ...objects,
  ];
  return { status: 200, contentType: 'text/plain; version=0.0.4; charset=utf-8', body: `${lines.join('\n')}\n` };
}

/** Names of resources and versions have nothing that would have to be escaped. */
function labels(pairs: Readonly<Record<string, string>>): string {
  return Object.entries(pairs)
    .map(([name, value]) => `${name}="${value}"`)
    .join(',');
}
