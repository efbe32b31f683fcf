import { printYaml } from '@isthmus/machinery';
import { bundleDigest, componentsFor, fullVersion, kubernetesMinors, kubernetesProblem } from '@isthmus/upgrade';
import type { Component, ComponentBundle } from '@isthmus/upgrade';
import type { OutputFormat } from '../../command/output-flag.ts';
import { documentText } from '../../render/document-text.ts';
import { ExitCode } from '../../command/exit-code.ts';
import type { Io } from '../../world/io.ts';
import { UsageError } from '../../command/usage-error.ts';
import { textTable } from '@isthmus/machinery';
import { readBundle } from './read-bundle.ts';

export interface ShowOptions {
  /** The minor to show it for. */
  readonly kubernetes?: string | undefined;
  readonly output: OutputFormat;
}

/** Prints the content of the bundle in a file, for one minor of Kubernetes or for each. */
export async function showFile(io: Io, path: string, { kubernetes, output }: ShowOptions): Promise<ExitCode> {
  const { bundle, written, conversion } = await readBundle(io, path);
  const problem = kubernetes === undefined ? undefined : kubernetesProblem(bundle, kubernetes);
  if (problem !== undefined) throw new UsageError(problem);
  if (output === 'yaml') io.stdout.write(printYaml(written.json));
  else {
    const digest = bundleDigest(written, io.bundleCrypto.sha256);
    const minors = kubernetes === undefined ? kubernetesMinors(bundle) : [kubernetes];
    const lists = (minors.length === 0 ? [undefined] : minors).map((minor) => ({
      kubernetes: minor ?? null,
      components: componentsFor(bundle, minor).map(row),
    }));
    // A Bundles object of EKS Anywhere has no time of creation.
    const createdAt = conversion === undefined ? bundle.spec.createdAt : null;
    io.stdout.write((output === 'json' ? jsonText : text)(bundle, { digest, createdAt }, lists));
  }
  return ExitCode.ok;
}

interface Row {
  readonly id: string;
  readonly type: string;
  readonly version: string;
  readonly scope: string;
  readonly method: string;
  /** Empty: every cluster. */
  readonly roles: readonly string[];
  readonly artifacts: readonly {
    readonly name: string;
    readonly kind: string;
    readonly uri: string;
    readonly digest: string | null;
  }[];
}

interface ListFor {
  readonly kubernetes: string | null;
  readonly components: readonly Row[];
}

function row(component: Component): Row {
  const { id, type, scope, method, roles, artifacts } = component;
  return {
    id,
    type: type ?? id,
    version: fullVersion(component),
    scope,
    method,
    roles: roles ?? [],
    artifacts: artifacts.map(({ name, kind, uri, digest }) => ({ name, kind, uri, digest: digest ?? null })),
  };
}

interface Facts {
  readonly digest: string;
  readonly createdAt: string | null;
}

function jsonText({ metadata, spec }: ComponentBundle, facts: Facts, lists: readonly ListFor[]): string {
  const { digest, createdAt } = facts;
  const { number, channel, expiresAt } = spec;
  const shown = { bundle: metadata.name, number, channel, digest, createdAt, expiresAt: expiresAt ?? null, lists };
  return documentText(shown, 'json');
}

function text({ metadata, spec }: ComponentBundle, { digest, createdAt }: Facts, lists: readonly ListFor[]): string {
  const made = createdAt === null ? '' : `, made ${createdAt}`;
  const head = `${metadata.name} (number ${spec.number}, channel ${spec.channel})${made}\n${digest}\n`;
  return head + lists.map((list) => listText(spec, list)).join('');
}

function listText({ perKubernetes }: ComponentBundle['spec'], { kubernetes, components }: ListFor): string {
  const ends = kubernetes === null ? undefined : perKubernetes[kubernetes]?.endOfSupport;
  const until = ends === undefined ? '' : `, supported until ${ends}`;
  const title = kubernetes === null ? '' : `\nKubernetes ${kubernetes}${until}\n`;
  const rows = components.map(({ id, version, scope, method, roles, artifacts }) => {
    const bare = artifacts.filter((one) => one.digest === null).length;
    const without = bare === 0 ? '' : `, ${bare} without digest`;
    return [id, version, scope, method, roles.join('+') || 'every', `${artifacts.length}${without}`];
  });
  const table = textTable([['COMPONENT', 'VERSION', 'SCOPE', 'METHOD', 'CLUSTERS', 'ARTIFACTS'], ...rows]);
  return `${title}${table.join('\n')}\n`;
}
