import { isRecord } from '@isthmus/machinery';
import { rulesEngine } from '@isthmus/schema/cel';
import { orderedFindings, planUpgrade, planWithoutBlocked, wavesOf, withOwnDefinitions } from '@isthmus/upgrade';
import type { FleetSnapshot, Plan, Prune } from '@isthmus/upgrade';
import type { GivenFlags } from '../../command/flag.ts';
import { documentText } from '../../render/document-text.ts';
import { ExitCode } from '../../command/exit-code.ts';
import type { Io } from '../../world/io.ts';
import type { Piece } from '../../render/output.ts';
import { UsageError } from '../../command/usage-error.ts';
import { demandsOf } from '../bundle/demands.ts';
import { lintAgainstPlanning, loadBundle } from '../bundle/load-bundle.ts';
import type { BundleAtHand } from '../bundle/load-bundle.ts';
import { demand } from '../flags/demand.ts';
import type { ShownFinding } from '../output/shown-finding.ts';
import { findingsText, styledFindings } from '../output/findings.ts';
import { loadPolicies } from '../input/load-policies.ts';
import { readHistories } from '../input/read-histories.ts';
import { readSnapshot } from '../input/read-snapshot.ts';
import { readWaivers } from '../input/read-waivers.ts';
import { readFleet } from '../snapshot/read-fleet.ts';
import { leftOutBy } from './chosen-clusters.ts';
import { checkPlan } from './check-plan.ts';
import { givenManifests, strayFindings } from './given-manifests.ts';
import type { PlanFormat, planFlags } from './plan-flags.ts';
import { planMarkdown } from './plan-markdown.ts';
import { planText } from './plan-text.ts';
import { demandCanaries, missedCanaries, wantedWaves } from './wanted-waves.ts';

type PlanFlags = GivenFlags<typeof planFlags>;

/**
 * Makes a plan from files and prints it, or reports whether an earlier plan is still valid. A
 * bundle that must not be used is rejected before anything is planned.
 */
export async function makePlan(io: Io, flags: PlanFlags): Promise<ExitCode> {
  const bundlePath = demand(flags.bundle, 'bundle');
  demandOneFleet(flags);
  const wanted = wantedWaves(flags);
  const demands = await demandsOf(io, flags);
  const snapshot =
    flags.snapshot === undefined
      ? withOwnDefinitions(await readFleet(io, flags))
      : await readSnapshot(io, flags.snapshot);
  const leftOut = leftOutBy(flags, snapshot);
  demandCanaries(wanted, snapshot, leftOut);
  const aside: ShownFinding[] = [];
  const given = await givenManifests(io, flags.manifests?.split(',') ?? [], aside);
  const bundle = await loadBundle(io, bundlePath, { ...demands, now: snapshot.spec.takenAt }, given);
  const others = [];
  for (const path of flags['other-bundle']?.split(',') ?? []) others.push(await loadBundle(io, path, demands, given));
  const all = orderedFindings([
    ...[bundle, ...others].flatMap(({ findings }) => findings),
    ...lintAgainstPlanning(bundle.input),
    ...strayFindings(given, [bundle, ...others]),
    ...aside,
  ]);
  if (all.some(({ severity }) => severity === 'block')) {
    io.stderr.write(...styledFindings(findingsText(all)));
    return ExitCode.blocked;
  }
  if (all.length > 0) io.stderr.write(...styledFindings(findingsText(all)));
  const { policies, digests } = await loadPolicies(io, flags.policy?.split(',') ?? []);
  if (flags.check !== undefined) {
    const bounds = {
      bundle: bundle.loaded,
      snapshot,
      policies,
      policyDigests: digests,
      sha256: io.bundleCrypto.sha256,
    };
    return checkPlan(io, { path: flags.check, output: flags.output ?? 'table' }, bounds);
  }
  const prune = pruneOf(flags);
  demandKnownDefinitions(prune, { bundle, others, snapshot });
  const planned = flags['all-or-nothing'] === true ? planUpgrade : planWithoutBlocked;
  const plan = planned({
    bundle: bundle.loaded,
    snapshot,
    policies,
    policyDigests: digests,
    histories: await readHistories(io, flags.history),
    waivers: await readWaivers(io, flags.waivers, {
      policies,
      plan: { bundles: [bundle, ...others].map((one) => one.loaded.bundle), snapshot },
    }),
    otherBundles: others.map(({ loaded }) => loaded),
    kubernetes: flags.kubernetes,
    waves: wavesOf(wanted, policies),
    orphans: orphansOf(flags['recreate-orphan']),
    prune,
    leftOut,
    unreachableAllowed: flags['max-unreachable'] ?? 0,
    sha256: io.bundleCrypto.sha256,
    compileRules: rulesEngine,
  });
  io.stderr.write(missedCanaries(wanted, plan));
  io.stdout.write(...printed(plan, flags.output ?? 'table'));
  if (plan.spec.outcome === 'blocked') return ExitCode.blocked;
  if (plan.spec.leftOut.length > 0) return ExitCode.warned;
  return plan.spec.outcome === 'ready' && flags['detailed-exitcode'] === true ? ExitCode.warned : ExitCode.ok;
}

function printed(plan: Plan, output: PlanFormat): readonly Piece[] {
  if (output === 'json' || output === 'yaml') return [documentText(plan, output)];
  return output === 'markdown' ? [planMarkdown(plan)] : styledFindings(planText(plan));
}

/** Errors: {@link UsageError} for a plan without a fleet, and one with two. */
function demandOneFleet(flags: PlanFlags): void {
  const live = flags.context !== undefined || flags['all-contexts'] === true;
  if (flags.snapshot === undefined && !live)
    throw new UsageError(
      "required option '--snapshot' not given; --context or --all-contexts read live clusters instead",
    );
  if (flags.snapshot !== undefined && live)
    throw new UsageError('--snapshot excludes --context and --all-contexts: a plan is made from one of them');
}

/** Errors: {@link UsageError} for text that is not a name with a Namespace. */
function orphansOf(text: string | undefined): readonly string[] {
  const names = text?.split(',') ?? [];
  const wrong = names.find((one) => !/^[^/]+\/[^/]+$/.test(one));
  if (wrong !== undefined) throw new UsageError(`--recreate-orphan ${wrong}: expected namespace/name`);
  return names;
}

/**
 * Errors: {@link UsageError} for CRDs without the flag that removes objects, and for that flag if
 * no file has the content of earlier versions.
 */
function pruneOf(flags: PlanFlags): Prune | undefined {
  const names = flags['prune-crd']?.split(',');
  if (flags.prune === true && flags['other-bundle'] === undefined)
    throw new UsageError(
      '--prune requires --other-bundle: it removes the objects of earlier versions, which are read from the bundle that was installed',
    );
  if (flags.prune === true) return { withObjects: names ?? [] };
  if (names !== undefined) throw new UsageError('--prune-crd requires --prune');
  return undefined;
}

/**
 * Errors: {@link UsageError} for a CRD to remove that neither a bundle nor a cluster has. Otherwise
 * nothing would be removed, without notice.
 */
function demandKnownDefinitions(
  prune: Prune | undefined,
  {
    bundle,
    others,
    snapshot,
  }: { readonly bundle: BundleAtHand; readonly others: readonly BundleAtHand[]; readonly snapshot: FleetSnapshot },
): void {
  const inBundle = new Set(definitionsOf(bundle));
  const before = others.flatMap(definitionsOf);
  const live = snapshot.spec.clusters.flatMap(({ definitions }) => definitions.flatMap(nameOfDefinition));
  const known = new Set([...inBundle, ...before, ...live]);
  const wrong = prune?.withObjects.filter((name) => !known.has(name)) ?? [];
  if (wrong.length === 0) return;
  const removable = [...new Set(before)].filter((name) => !inBundle.has(name)).toSorted();
  const has =
    removable.length === 0
      ? 'the bundles of --other-bundle have no CRD that the new one does not have'
      : `CRDs of the bundles of --other-bundle that the new one does not have: ${removable.join(', ')}`;
  throw new UsageError(`--prune-crd ${wrong.join(',')}: no bundle and no cluster has this CRD; ${has}`);
}

function definitionsOf({ loaded }: BundleAtHand): readonly string[] {
  return [...loaded.contents.values()].flatMap((objects) =>
    objects.flatMap((one) => (one.kind === 'CustomResourceDefinition' ? [one.metadata.name] : [])),
  );
}

function nameOfDefinition(definition: Readonly<Record<string, unknown>>): readonly string[] {
  const { metadata } = definition;
  return isRecord(metadata) && typeof metadata['name'] === 'string' ? [metadata['name']] : [];
}
