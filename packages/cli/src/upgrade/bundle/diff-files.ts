import { diffBundles } from '@isthmus/upgrade';
import type { BundleChange } from '@isthmus/upgrade';
import type { OutputFormat } from '../../command/output-flag.ts';
import { documentText } from '../../render/document-text.ts';
import { ExitCode } from '../../command/exit-code.ts';
import type { Io } from '../../world/io.ts';
import { textTable } from '@isthmus/machinery';
import { readBundle } from './read-bundle.ts';

export interface DiffOptions {
  readonly output: OutputFormat;
  /** Whether the exit code reports that something differs. */
  readonly tellsChanges: boolean;
}

/** Prints the differences between the bundles in two files. */
export async function diffFiles(io: Io, old: string, next: string, options: DiffOptions): Promise<ExitCode> {
  const [from, to] = [await readBundle(io, old), await readBundle(io, next)];
  const components = diffBundles(from.bundle, to.bundle);
  const name = ({ bundle: { metadata, spec } }: typeof from) => ({ name: metadata.name, number: spec.number });
  io.stdout.write(
    options.output === 'text'
      ? text(components)
      : documentText({ from: name(from), to: name(to), components: components.map(jsonOf) }, options.output),
  );
  return options.tellsChanges && components.length > 0 ? ExitCode.warned : ExitCode.ok;
}

/**
 * A change in the shape that programs rely on: missing values are null; `kubernetes` null means
 * every one.
 */
function jsonOf({ component, kubernetes, relation, order, from, to, reason, artifacts }: BundleChange): object {
  return {
    component,
    kubernetes: kubernetes ?? null,
    relation,
    order,
    from: from ?? null,
    to: to ?? null,
    reason,
    artifacts: artifacts.map((one) => ({
      name: one.name,
      change: one.change,
      from: one.from ?? null,
      to: one.to ?? null,
    })),
  };
}

function text(components: readonly BundleChange[]): string {
  if (components.length === 0) return 'The bundles have the same components.\n';
  const rows = components.map(({ component, kubernetes, relation, from, to }) => {
    return [component, kubernetes?.join(',') ?? 'every', from ?? '-', to ?? '-', relation];
  });
  const [head = '', ...lines] = textTable([['COMPONENT', 'KUBERNETES', 'FROM', 'TO', 'CHANGE'], ...rows]);
  const reported = lines.flatMap((line, at) => {
    const { artifacts = [], reason = '' } = components[at] ?? {};
    const changed = artifacts.map((one) => `       ${one.name}: ${sidesText(one)}`);
    return [line, `       ${reason}`, ...changed];
  });
  return `${[head, ...reported].join('\n')}\n`;
}

/** Both sides of an artifact: its digest, or that it has none, or that it is missing. */
function sidesText({ change, from, to }: BundleChange['artifacts'][number]): string {
  const [before, after] = [change === 'added', change === 'removed'].map((isAbsent) => (isAbsent ? 'none' : undefined));
  return `${before ?? from ?? 'no digest'} → ${after ?? to ?? 'no digest'}`;
}
