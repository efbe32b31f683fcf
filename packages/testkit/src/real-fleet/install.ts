import { CustomResourceDefinition, apiPath } from './objects.ts';
import type { Client } from '@isthmus/kube';
import { ApiError, ConnectionError, isAlreadyExists, isNotServed } from '@isthmus/kube';
import type { KubernetesObject } from '@isthmus/machinery';
import { parseYaml } from '@isthmus/machinery';
import { after, readCheckoutFile } from './world.ts';

/**
 * The Namespace that a manifest is written for, and the one to use instead, as with
 * `sed 's/from/to/g'`.
 */
export interface OtherNamespace {
  readonly from: string;
  readonly to: string;
}

/** {@link installObjects} of a generated manifest of `deploy/`. */
export async function installManifest(client: Client, path: string, other?: OtherNamespace): Promise<void> {
  await installObjects(client, await readManifest(path, other));
}

/** The objects of a manifest in the checkout. */
export async function readManifest(path: string, other?: OtherNamespace): Promise<readonly KubernetesObject[]> {
  const text = await readCheckoutFile(path);
  const documents = parseYaml(other === undefined ? text : text.replaceAll(other.from, other.to), { source: path });
  return documents.map(({ value }) => value as KubernetesObject);
}

/**
 * Creates objects as an administrator: CRDs first, until they are established, then the rest.
 * Deployments are left out: without nodes their Pods would not run; the controllers run as
 * processes instead.
 */
export async function installObjects(client: Client, objects: readonly KubernetesObject[]): Promise<void> {
  const crds = objects.filter((object) => object.kind === 'CustomResourceDefinition');
  await Promise.all(crds.map((crd) => put(client, crd)));
  await Promise.all(crds.map((crd) => established(client, crd.metadata.name)));
  const rest = objects.filter((object) => !['CustomResourceDefinition', 'Deployment'].includes(object.kind ?? ''));
  const namespaces = rest.filter((object) => object.kind === 'Namespace');
  for (const object of namespaces) await put(client, object);
  await Promise.all(rest.filter((object) => object.kind !== 'Namespace').map((object) => put(client, object)));
}

/**
 * A server on a busy machine may take longer for an answer than the client waits, and have created
 * the object meanwhile.
 */
const attempts = 50;

/**
 * No answer, or an answer that the kind is not served: for a moment after its definition is
 * established.
 */
const isPassing = (error: unknown): boolean =>
  error instanceof ConnectionError || isNotServed(error) || (error instanceof ApiError && error.code === 503);

/**
 * The result of a request, which is repeated if there was no answer. The earlier one may have been
 * carried out.
 */
export async function untilAnswered<T>(request: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await request();
    } catch (error) {
      if (!isPassing(error) || attempt === attempts) throw error;
      await after(200);
    }
  }
}

async function put(client: Client, object: KubernetesObject): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify(object);
  await untilAnswered(() => client.request({ method: 'POST', path: apiPath(object), headers, body })).catch(
    (error: unknown) => {
      // A dual-role cluster gets the kinds of both manifests.
      if (!isAlreadyExists(error)) throw error;
    },
  );
}

async function established(client: Client, name: string): Promise<void> {
  for (;;) {
    const crd = await client.get(CustomResourceDefinition, { name });
    const conditions = (
      crd as {
        readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
      }
    ).status?.conditions;
    if (conditions?.some((condition) => condition.type === 'Established' && condition.status === 'True') === true)
      return;
    await after(20);
  }
}
