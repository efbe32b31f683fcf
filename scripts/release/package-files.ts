import { oldestNode } from '../../packages/cli/src/world/required-node.ts';
import type { Library } from './libraries/library.ts';

/** The licence of a package in the bundle. */
export interface Notice {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** The text of its licence file; undefined: it has none. */
  readonly text: string | undefined;
}

/**
 * The `package.json` of the npm package: two names of one program, the second for kubectl, which
 * finds plugins by it.
 */
export function packageManifest(release: { readonly version: string; readonly entry: string }): string {
  const { version, entry } = release;
  const manifest = {
    name: 'isthmus',
    version,
    description:
      'Join Kubernetes clusters into one ClusterSet: Services, policies, gateways and upgrades over a fleet of clusters.',
    keywords: ['kubernetes', 'multi-cluster', 'clusterset', 'mcs', 'antrea', 'kubectl-plugin'],
    license: 'Apache-2.0',
    type: 'module',
    bin: { isthmus: entry, 'kubectl-isthmus': entry },
    engines: { node: `>=${oldestNode}` },
    // The files beside the entry are parts of the program and no interface.
    exports: {},
  };
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}

/**
 * The `package.json` of a library: one module with its declarations, and the other libraries that
 * it needs, in the same version.
 */
export function libraryManifest(
  release: { readonly version: string; readonly entry: string; readonly types: string },
  { name, description, keywords, external }: Library,
): string {
  const { version, entry, types } = release;
  const manifest = {
    name,
    version,
    description,
    keywords,
    license: 'Apache-2.0',
    type: 'module',
    exports: { '.': { types: `./${types}`, default: `./${entry}` } },
    engines: { node: `>=${oldestNode}` },
    dependencies: Object.fromEntries(external.map((other) => [other, version])),
    // The declarations name a few of Node's own types.
    peerDependencies: { '@types/node': '>=22' },
    peerDependenciesMeta: { '@types/node': { optional: true } },
  };
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}

/**
 * `THIRD-PARTY-NOTICES`: every package whose code is in the bundle, with its licence. Errors:
 * throws where one has none.
 */
export function noticesText(notices: readonly Notice[]): string {
  const without = notices.filter(({ license, text }) => license === '' && text === undefined);
  if (without.length > 0) throw new Error(`no licence is known of ${without.map(({ name }) => name).join(', ')}`);
  const parts = notices.map(
    ({ name, version, license, text }) =>
      `${name} ${version} (${license})\n\n${text?.trim() ?? 'The package has no licence file.'}\n`,
  );
  return `This package contains code of these packages.\n\n${parts.join(`\n${'-'.repeat(80)}\n\n`)}`;
}

/** The README of the npm package. */
export function packageReadme(version: string): string {
  return `# isthmus ${version}

Joins Kubernetes clusters into one ClusterSet: a Service that is exported in one cluster can be called in all of them.

    npm install -g ./isthmus-${version}.tgz     # the file of the release: the package is in no registry
    isthmus help
    kubectl isthmus help     # the same as a plugin of kubectl

It needs Node ${oldestNode} or later. To try it without clusters:

    isthmus sandbox up
`;
}
