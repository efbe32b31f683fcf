import { parseYaml, yamlFieldLines, YamlReadError } from '@isthmus/machinery';
import { placementFindings, placementNotExamined } from '@isthmus/upgrade';
import type { FindingsFormat } from '../../output/findings-flag.ts';
import type { ExitCode } from '../../../command/exit-code.ts';
import type { Io } from '../../../world/io.ts';
import { UsageError } from '../../../command/usage-error.ts';
import { readText } from '../../input/read-input.ts';
import { readPolicies } from '../../input/read-policies.ts';
import { demand } from '../../flags/demand.ts';
import { definitionsIn, nothingIn, readObjects } from '../../input/read-objects.ts';
import { formerDefinitions, formerLiveDefinitions } from '../../input/beside-objects.ts';
import type { ShownFinding } from '../../output/shown-finding.ts';
import { showFindings } from '../../output/show-findings.ts';
import { readWaivers } from '../../input/read-waivers.ts';

export interface PlacementFlags {
  readonly filename: string | undefined;
  readonly existing: string | undefined;
  readonly 'depends-on': string | undefined;
  readonly policy: string | undefined;
  readonly waivers: string | undefined;
  readonly output: FindingsFormat | undefined;
}

/** Prints the CRDs in a version that is too low for the CRDs that they refer to. */
export async function checkPlacement(io: Io, flags: PlacementFlags): Promise<ExitCode> {
  const paths = demand(flags.filename, 'filename');
  const aside: ShownFinding[] = [];
  const placed = await readObjects(io, paths.split(','), aside);
  const definitions = definitionsIn(placed);
  const former = formerDefinitions(placed);
  if (definitions.length + former.length === 0) throw nothingIn(paths, 'CustomResourceDefinition', aside);
  const live = await readObjects(io, flags.existing?.split(',') ?? [], aside);
  const before = definitionsIn(live);
  const names = new Set(definitions.map(({ metadata }) => metadata.name));
  // Existing CRDs that are not replaced: the new ones may refer to them.
  const all = [...definitions, ...before.filter(({ metadata }) => !names.has(metadata.name))];
  const policies = await readPolicies(io, flags.policy);
  const dependsOn =
    flags['depends-on'] === undefined
      ? undefined
      : await readDependencies(io, flags['depends-on'], new Set(all.map(({ metadata }) => metadata.name ?? '')));
  const findings = placementFindings(all, {
    policies,
    existing: new Set(before.map(({ metadata }) => metadata.name ?? '')),
    dependsOn,
  });
  return showFindings(
    io,
    {
      findings: [...aside, ...former, ...formerLiveDefinitions(live), ...findings],
      notExamined: placementNotExamined(definitions, policies),
    },
    {
      output: flags.output,
      about: { files: paths },
      waivers: await readWaivers(io, flags.waivers, { policies }),
      today: new Date(io.clock.now()).toISOString(),
    },
  );
}

async function readDependencies(
  io: Io,
  path: string,
  known: ReadonlySet<string>,
): Promise<Readonly<Record<string, readonly string[]>>> {
  const wrong = new UsageError(
    `${path}: expected a map from CRD names to lists of types such as v1alpha2/ClusterGroup`,
  );
  try {
    const text = await readText(io, path);
    const [document] = parseYaml(text, { source: path });
    const { value } = document ?? { value: undefined };
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong;
    const entries = Object.entries(value).map(([name, types]) => [name, listOfTexts(types, wrong)] as const);
    const unknown = entries.map(([name]) => name).filter((name) => !known.has(name));
    const lineOf = yamlFieldLines(text);
    if (unknown.length > 0) {
      const lines = unknown.map((name) => `${path}:${lineOf(name)}: ${name} is not among the given CRDs`);
      throw new UsageError(lines.join('\n'));
    }
    return Object.fromEntries(entries);
  } catch (error) {
    if (error instanceof YamlReadError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

function listOfTexts(value: unknown, wrong: UsageError): readonly string[] {
  if (!Array.isArray(value) || !value.every((one) => typeof one === 'string')) throw wrong;
  return value;
}
