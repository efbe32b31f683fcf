import type { ServicePort, ServiceSpec } from '@isthmus/api';
import { EndpointSlice, Label, Namespace, Node, Pod, Service, ServiceAccount, ServiceExport } from '@isthmus/api';
import type { Client } from '@isthmus/kube';
import { isAlreadyExists, orNotFound } from '@isthmus/kube';
import type { KubernetesObject, ObjectRef, ResourceType } from '@isthmus/machinery';
import type { Waits } from './eventually.ts';
import { untilAnswered } from './install.ts';

export interface NamespacedRef {
  readonly namespace: string;
  readonly name: string;
}

/** The actions of a user in one cluster, with an administrator's rights. */
export interface ClusterUser {
  /** Creates the Namespace, and waits until a Pod could be created in it. */
  namespace(name: string): Promise<void>;
  /**
   * Creates the Service, or changes its spec. Without a selector, {@link ClusterUser.serve} writes
   * its endpoints.
   */
  service(ref: NamespacedRef, spec: ServiceSpec): Promise<Service>;
  /**
   * A Pod with label `app`, marked as running and ready, because there is no kubelet that would do
   * it.
   */
  pod(ref: NamespacedRef, pod: { readonly app: string; readonly ip: string }): Promise<void>;
  /** Marks a Pod as ready or not. */
  ready(ref: NamespacedRef, ready: boolean): Promise<void>;
  /** Writes the one slice of a Service without selector: ready at `addresses`. */
  serve(ref: NamespacedRef, addresses: readonly string[], ports: readonly ServicePort[]): Promise<void>;
  /** `service` without selector, `serve` at one address, and `export`. */
  exportService(ref: NamespacedRef, ports: readonly ServicePort[], address: string): Promise<void>;
  export(ref: NamespacedRef): Promise<void>;
  unexport(ref: NamespacedRef): Promise<void>;
  /** The object, or undefined if it does not exist. */
  find<T extends KubernetesObject>(type: ResourceType<T>, ref: ObjectRef): Promise<T | undefined>;
  /** Creates the object, or replaces the existing one. */
  put<T extends KubernetesObject>(type: ResourceType<T>, object: T): Promise<T>;
  /** Deletes the object; a missing one is not an error. */
  remove<T extends KubernetesObject>(type: ResourceType<T>, ref: ObjectRef): Promise<void>;
}

/** A user of the cluster that `admin` reaches; `node` is the Node of its Pods. */
export function createClusterUser(admin: Client, node: string, { until }: Pick<Waits, 'until'>): ClusterUser {
  const user: ClusterUser = {
    async namespace(name) {
      await admin.create(Namespace, { metadata: { name } });
      await ignoring(isAlreadyExists, admin.create(Node, { metadata: { name: node } }));
      await until(`Namespace ${name} has its ServiceAccount`, () =>
        user.find(ServiceAccount, { namespace: name, name: 'default' }),
      );
    },
    async service(ref, spec) {
      if ((await user.find(Service, ref)) === undefined) return admin.create(Service, { metadata: { ...ref }, spec });
      return admin.patch(Service, ref, { type: 'merge', body: { spec } });
    },
    async pod(ref, { app, ip }) {
      await admin.create(Pod, {
        metadata: { ...ref, labels: { app } },
        spec: { nodeName: node, containers: [{ name: 'main', image: 'registry.k8s.io/pause' }] },
      });
      await podStatus(ref, { ...readiness(true), phase: 'Running', podIP: ip, podIPs: [{ ip }] });
    },
    ready: (ref, ready) => podStatus(ref, readiness(ready)),
    async serve({ namespace, name }, addresses, ports) {
      await user.put(EndpointSlice, {
        metadata: { name: `${name}-by-hand`, namespace, labels: { [Label.serviceName]: name } },
        addressType: 'IPv4',
        endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
        ports: ports.map(({ name: port = '', protocol = 'TCP', port: number, targetPort }) => ({
          name: port,
          protocol,
          port: typeof targetPort === 'number' ? targetPort : number,
        })),
      });
    },
    async exportService(ref, ports, address) {
      await user.service(ref, { ports });
      await user.serve(ref, [address], ports);
      await user.export(ref);
    },
    async export(ref) {
      await untilAnswered(() => admin.create(ServiceExport, { metadata: { ...ref } }));
    },
    unexport: (ref) => user.remove(ServiceExport, ref),
    find: (type, ref) => orNotFound(admin.get(type, ref)),
    async put(type, object) {
      const { namespace, name } = object.metadata;
      const found = await user.find(type, { namespace, name });
      if (found === undefined) return admin.create(type, object);
      const { resourceVersion } = found.metadata;
      return admin.update(type, { ...object, metadata: { ...object.metadata, resourceVersion } });
    },
    async remove(type, ref) {
      await orNotFound(admin.delete(type, ref));
    },
  };
  return user;

  async function podStatus(ref: NamespacedRef, status: NonNullable<Pod['status']>): Promise<void> {
    await admin.patch(Pod, ref, { type: 'merge', body: { status } }, { subresource: 'status' });
  }
}

function readiness(ready: boolean): NonNullable<Pod['status']> {
  return { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] };
}

async function ignoring<T>(expected: (error: unknown) => boolean, call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (expected(error)) return undefined;
    throw error;
  }
}
