/**
 * The parts of `@kubernetes/client-node` that are called here; the package is installed beside, not
 * at the root.
 */
interface ClientNode {
  readonly KubeConfig: new () => KubeConfig;
  readonly CoreV1Api: unknown;
  readonly Watch: new (config: KubeConfig) => {
    watch(
      path: string,
      query: Readonly<Record<string, string | number>>,
      onEvent: (type: string, object: Named) => void,
      onEnd: (error: unknown) => void,
    ): Promise<AbortController>;
  };
  readonly PatchStrategy: {
    readonly MergePatch: string;
    readonly StrategicMergePatch: string;
    readonly JsonPatch: string;
  };
  setHeaderOptions(name: string, value: string): unknown;
}

interface KubeConfig {
  loadFromFile(path: string): void;
  makeApiClient(api: unknown): CoreApi;
}

interface CoreApi {
  listNamespacedConfigMap(options: object): Promise<{ readonly items: readonly Named[] }>;
  createNamespacedConfigMap(options: object): Promise<Named>;
  readNamespacedConfigMap(options: object): Promise<Named>;
  deleteNamespacedConfigMap(options: object): Promise<unknown>;
  patchNamespacedConfigMap(options: object, headers: unknown): Promise<Named>;
}

interface Named {
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
}

type Call = (kubeconfig: string, namespace: string) => Promise<string>;

/** What the official client does; each returns what it saw. */
export const clientNodeCalls: Readonly<Record<string, Call>> = {
  async list(kubeconfig, namespace) {
    const { core } = await connected(kubeconfig);
    const { items } = await core.listNamespacedConfigMap({ namespace, limit: 500 });
    return items.map(({ metadata }) => metadata.name).join('\n');
  },
  async patch(kubeconfig, namespace) {
    const { core, library } = await connected(kubeconfig);
    const name = 'by-client-node';
    await core.createNamespacedConfigMap({ namespace, body: { metadata: { name }, data: { a: '1' } } });
    const { MergePatch, StrategicMergePatch, JsonPatch } = library.PatchStrategy;
    const steps = [
      [MergePatch, { data: { b: '2' } }],
      [StrategicMergePatch, { data: { a: null } }],
      [JsonPatch, [{ op: 'add', path: '/data/c', value: '3' }]],
    ] as const;
    const seen: string[] = [];
    for (const [type, body] of steps) {
      const patched = await core.patchNamespacedConfigMap(
        { name, namespace, body },
        library.setHeaderOptions('Content-Type', type),
      );
      seen.push(JSON.stringify(patched.data));
    }
    return seen.join('\n');
  },
  async watch(kubeconfig, namespace) {
    const { core, config, library } = await connected(kubeconfig);
    const seen: string[] = [];
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    const name = 'by-client-node';
    await new Promise<void>((resolve, reject) => {
      const query = { fieldSelector: `metadata.name=${name}`, timeoutSeconds: 30 };
      const onEvent = (type: string, { metadata }: Named) => {
        seen.push(`${type} ${metadata.name}`);
        if (type === 'ADDED') core.deleteNamespacedConfigMap({ name, namespace }).catch(reject);
        if (type === 'DELETED') void stop.then((controller) => controller.abort());
      };
      const stop = new library.Watch(config).watch(path, query, onEvent, (error) => {
        const name = error instanceof Error ? error.name : '';
        if (error && name !== 'AbortError') reject(error);
        else resolve();
      });
      stop.catch(reject);
    });
    return seen.join('\n');
  },
  async error(kubeconfig, namespace) {
    const { core } = await connected(kubeconfig);
    try {
      await core.readNamespacedConfigMap({ name: 'none', namespace });
    } catch (error) {
      const { code, body } = error as { readonly code: number; readonly body: string };
      return `${code} ${body}`;
    }
    throw new Error('a ConfigMap that is not there was read');
  },
};

async function connected(kubeconfig: string) {
  // By a variable: the types of the package do not exist where its programs are not installed.
  const name: string = '@kubernetes/client-node';
  const library = (await import(name)) as ClientNode;
  const config = new library.KubeConfig();
  config.loadFromFile(kubeconfig);
  return { library, config, core: config.makeApiClient(library.CoreV1Api) };
}
