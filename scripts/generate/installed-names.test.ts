import { readFileSync } from 'node:fs';
import { parseYaml } from '@isthmus/machinery';
import type { KubernetesObject } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import { manifests } from './manifests.ts';

interface Workload extends KubernetesObject {
  readonly spec?: {
    readonly selector?: unknown;
    readonly template?: { readonly metadata?: { readonly labels?: unknown } };
  };
}

/**
 * The names that an upgrade in place cannot change, or that users and policies select by: a line
 * for each installed object.
 */
function installed(): readonly string[] {
  const lines = Object.values(manifests('0.1.0')).flatMap((text) =>
    parseYaml(text, { source: 'manifest' }).map(({ value }) => lineOf(value as Workload)),
  );
  return [...new Set(lines)].toSorted();
}

function lineOf({ kind, metadata, spec }: Workload): string {
  const name = metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;
  const parts = {
    labels: metadata.labels,
    ...((kind === 'Deployment' || kind === 'DaemonSet') && {
      selector: spec?.selector,
      pods: spec?.template?.metadata?.labels,
    }),
  };
  return `${kind} ${name} ${JSON.stringify(parts)}`;
}

describe('the names, labels and selectors of what is installed', () => {
  const recorded = readFileSync(new URL('fixtures/installed-names.txt', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');

  it('do not change: an upgrade in place replaces every object of the release before', () => {
    const now = new Set(installed());
    expect(recorded.filter((line) => !now.has(line))).toEqual([]);
  });

  it('are recorded, from the first release that has them: add the lines of new objects to the fixture', () => {
    const before = new Set(recorded);
    expect(installed().filter((line) => !before.has(line))).toEqual([]);
  });
});
