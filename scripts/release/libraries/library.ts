/** A package of this repository that is released on its own. */
export interface Library {
  /** Its name on npm. */
  readonly name: string;
  readonly description: string;
  readonly keywords: readonly string[];
  /** The module with all that it offers, from the root of the repository. */
  readonly entry: string;
  readonly readme: string;
  /**
   * Other libraries that it needs, installed beside it in the same version. The code of everything
   * else is in the package.
   */
  readonly external: readonly string[];
}

const kube: Library = {
  name: '@isthmus/kube',
  description:
    'A Kubernetes API client, and a runtime for controllers and webhooks that runs in tests in virtual time.',
  keywords: ['kubernetes', 'client', 'controller', 'operator', 'webhook'],
  entry: 'scripts/release/libraries/kube/index.ts',
  readme: 'scripts/release/libraries/kube/README.md',
  external: [],
};

const sandbox: Library = {
  name: '@isthmus/sandbox',
  description: 'A Kubernetes API server in the process, with controllers and a simulated Node, for tests.',
  keywords: ['kubernetes', 'testing', 'api-server', 'envtest', 'mock'],
  entry: 'scripts/release/libraries/sandbox/index.ts',
  readme: 'scripts/release/libraries/sandbox/README.md',
  external: [kube.name],
};

/** All of them, each after those that it needs. */
export const libraries: readonly Library[] = [kube, sandbox];
