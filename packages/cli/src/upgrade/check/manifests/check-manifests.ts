import { errorMessage } from '@isthmus/machinery';
import { rulesEngine } from '@isthmus/schema/cel';
import { manifestFindings, manifestsNotExamined } from '@isthmus/upgrade';
import type { ManifestContext, ManifestFinding } from '@isthmus/upgrade';
import type { ShownFinding } from '../../output/shown-finding.ts';
import type { FindingsFormat } from '../../output/findings-flag.ts';
import type { ExitCode } from '../../../command/exit-code.ts';
import type { Io } from '../../../world/io.ts';
import { UsageError } from '../../../command/usage-error.ts';
import { readPolicies } from '../../input/read-policies.ts';
import { demand } from '../../flags/demand.ts';
import { definitionsIn, nothingIn, readDefinitions, readObjects } from '../../input/read-objects.ts';
import { formerDefinitions, formerLiveDefinitions } from '../../input/beside-objects.ts';
import { showFindings } from '../../output/show-findings.ts';
import { readWaivers } from '../../input/read-waivers.ts';

export interface ManifestFlags {
  readonly filename: string | undefined;
  readonly crd: string | undefined;
  readonly kubernetes: string | undefined;
  readonly policy: string | undefined;
  readonly waivers: string | undefined;
  readonly output: FindingsFormat | undefined;
}

/** Prints the problems of manifests in the cluster that they are meant for. */
export async function checkManifests(io: Io, flags: ManifestFlags): Promise<ExitCode> {
  const files = demand(flags.filename, 'filename');
  const aside: ShownFinding[] = [];
  const manifests = await readObjects(io, files.split(','), aside);
  if (manifests.length === 0) throw nothingIn(files, 'object', aside);
  const live = await readObjects(io, flags.crd?.split(',') ?? [], aside);
  const existing = definitionsIn(live);
  const coming = readDefinitions(manifests);
  const beside = [...aside, ...formerDefinitions(manifests, flags.kubernetes), ...formerLiveDefinitions(live)];
  const context: ManifestContext = {
    live: existing,
    coming: coming.definitions,
    kubernetes: flags.kubernetes,
    policies: await readPolicies(io, flags.policy),
    compileRules: rulesEngine,
  };
  const about = { files, kubernetes: flags.kubernetes ?? null };
  const objects = manifests.map(({ object }) => object);
  const placed = ({ index = -1, ...finding }: ManifestFinding): ShownFinding => {
    const found = manifests[index];
    return found === undefined
      ? finding
      : { ...finding, place: found.placeOf?.(finding.subject.path ?? '') ?? found.place };
  };
  return showFindings(
    io,
    {
      findings: [...beside, ...coming.unknownFields, ...judged(objects, context).map(placed)],
      notExamined: manifestsNotExamined(context),
    },
    {
      output: flags.output,
      about,
      waivers: await readWaivers(io, flags.waivers, { policies: context.policies }),
      today: new Date(io.clock.now()).toISOString(),
    },
  );
}

function judged(...[objects, context]: Parameters<typeof manifestFindings>): ReturnType<typeof manifestFindings> {
  try {
    return manifestFindings(objects, context);
  } catch (error) {
    const why = errorMessage(error);
    throw new UsageError(
      `the manifests cannot be checked against these CRDs, see \`isthmus upgrade check crd\`: ${why}`,
      {
        cause: error,
      },
    );
  }
}
