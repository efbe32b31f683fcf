import type { CustomResourceDefinition } from '@isthmus/schema';
import {
  apiBreaches,
  compareVersions,
  deprecatedUse,
  minorOf,
  orderedFindings,
  parseVersion,
  readingFindings,
  silentDeprecations,
} from '@isthmus/upgrade';
import type { ApiPromiseContext, ClusterSnapshot, Finding } from '@isthmus/upgrade';
import type { FindingsFormat } from '../../output/findings-flag.ts';
import type { ExitCode } from '../../../command/exit-code.ts';
import type { Io } from '../../../world/io.ts';
import { readPolicies } from '../../input/read-policies.ts';
import { readSnapshot } from '../../input/read-snapshot.ts';
import { demand } from '../../flags/demand.ts';
import { readHistories } from '../../input/read-histories.ts';
import { definitionsIn, nothingIn, objectsOf, readObjects } from '../../input/read-objects.ts';
import type { PlacedObject } from '../../input/placed-object.ts';
import { formerDefinitions } from '../../input/beside-objects.ts';
import type { ShownFinding } from '../../output/shown-finding.ts';
import { showFindings } from '../../output/show-findings.ts';
import { readWaivers } from '../../input/read-waivers.ts';

export interface DeprecationFlags {
  readonly snapshot: string | undefined;
  readonly filename: string | undefined;
  readonly history: string | undefined;
  readonly kubernetes: string | undefined;
  readonly policy: string | undefined;
  readonly waivers: string | undefined;
  readonly output: FindingsFormat | undefined;
}

/**
 * Prints the promises about API versions that the manifests break in each cluster, and the users of
 * removed versions.
 */
export async function checkDeprecations(io: Io, flags: DeprecationFlags): Promise<ExitCode> {
  const source = demand(flags.snapshot, 'snapshot');
  const snapshot = await readSnapshot(io, source);
  const policies = await readPolicies(io, flags.policy);
  const histories = await readHistories(io, flags.history);
  const aside: ShownFinding[] = [];
  const manifests = await readObjects(io, flags.filename?.split(',') ?? [], aside);
  if (flags.filename !== undefined && manifests.length === 0) throw nothingIn(flags.filename, 'object', aside);
  const context = { policies, histories, now: snapshot.spec.takenAt };
  const next = definitionsIn(manifests);
  const findings = snapshot.spec.clusters.flatMap((cluster) =>
    findingsOf(cluster, { next, manifests, context, kubernetes: flags.kubernetes }),
  );
  return showFindings(
    io,
    {
      findings: [
        ...aside,
        ...formerDefinitions(manifests, flags.kubernetes),
        ...orderedFindings([...readingFindings(snapshot), ...findings]),
      ],
      snapshot,
    },
    {
      output: flags.output,
      about: { snapshot: source, at: snapshot.spec.takenAt },
      waivers: await readWaivers(io, flags.waivers, { policies }),
      today: snapshot.spec.takenAt,
    },
  );
}

interface Asked {
  readonly next: readonly CustomResourceDefinition[];
  readonly manifests: readonly PlacedObject[];
  readonly context: ApiPromiseContext;
  readonly kubernetes: string | undefined;
}

function findingsOf(cluster: ClusterSnapshot, { next, manifests, context, kubernetes }: Asked): readonly Finding[] {
  const place = `the snapshot of ${cluster.name}`;
  const live = definitionsIn(cluster.definitions.flatMap((one) => objectsOf(one, place)));
  const coming = new Map(next.map((definition) => [definition.metadata.name, definition]));
  const known = new Set(live.map(({ metadata }) => metadata.name));
  const changes = [
    ...live.map((old) => [old, coming.get(old.metadata.name) ?? old] as const),
    ...next.filter(({ metadata }) => !known.has(metadata.name)).map((one) => [undefined, one] as const),
  ];
  const here = (found: readonly Finding[]) =>
    found.map((one) => ({ ...one, subject: { ...one.subject, cluster: cluster.name } }));
  const after = changes.map(([, definition]) => definition);
  const seen = cluster.objects.flatMap((one) => objectsOf(one, place));
  const objects = [...seen, ...manifests].map(({ object }) => object);
  const used = {
    objects,
    definitions: after,
    before: live,
    cluster: cluster.name,
    kubernetes: kubernetes ?? oldestServer(cluster),
  };
  return [
    ...here(
      changes.flatMap(([old, definition]) => apiBreaches(old, definition, context).map(({ finding }) => finding)),
    ),
    ...here(after.flatMap((definition) => silentDeprecations(definition))),
    ...deprecatedUse(used, context.policies),
  ];
}

/** The minor of the oldest API server that was seen. */
function oldestServer({ components }: ClusterSnapshot): string | undefined {
  const versions = components
    .filter(({ id, type = id }) => type === 'kube-apiserver')
    .flatMap(({ live }) => live.map(({ version }) => parseVersion(version)))
    .filter(({ core }) => core !== undefined);
  const oldest = versions.toSorted((a, b) => (compareVersions(a, b) === 'newer' ? -1 : 1))[0];
  return oldest === undefined ? undefined : minorOf(oldest);
}
