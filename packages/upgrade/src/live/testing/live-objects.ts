import type { KubernetesObject } from '@isthmus/machinery';
import { addObject, addPod, emptyFacts } from '../cluster-facts.ts';
import type { ClusterFacts } from '../cluster-facts.ts';
import type { SourceName } from '../cluster-sources.ts';

interface Workload {
  readonly namespace?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly command?: readonly string[] | undefined;
  readonly ready?: boolean | undefined;
}

/** A workload as API servers return it, with a container `name=image` each. */
export function workload(name: string, containers: readonly string[], more: Workload = {}): KubernetesObject {
  const { namespace = 'kube-system', labels, annotations, command, ready = true } = more;
  const pod = {
    containers: containers.map((one) => ({ ...container(one), command, env: [{ name: 'A', value: 's3cr3t' }] })),
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, labels, annotations },
    spec: { replicas: 1, selector: { matchLabels: { app: name } }, template: { spec: pod } },
    status: { readyReplicas: ready ? 1 : 0, desiredNumberScheduled: 1, numberReady: ready ? 1 : 0 },
  } as KubernetesObject;
}

/** A Pod of the workload `app` on a Node. */
export function pod(app: string, node: string, containers: readonly string[], labels: object = {}): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `${app}-${node}`, namespace: 'kube-system', labels: { app, ...labels } },
    spec: { nodeName: node, containers: containers.map(container) },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  } as KubernetesObject;
}

/** What is known of a cluster with these objects. */
export function factsOf(
  objects: Partial<Readonly<Record<SourceName | 'pods', readonly object[]>>>,
  serverVersion = 'v1.36.1',
): ClusterFacts {
  const facts = emptyFacts(serverVersion, 'uid-1');
  for (const [source, list] of Object.entries(objects))
    for (const one of list) {
      const object = { ...one, ...(source === 'daemonSets' ? { kind: 'DaemonSet' } : {}) } as KubernetesObject;
      if (source === 'pods') addPod(facts, object);
      else addObject(facts, source as SourceName, object);
    }
  return facts;
}

function container(text: string) {
  const [name = '', image = ''] = text.split('=');
  return { name, image };
}
