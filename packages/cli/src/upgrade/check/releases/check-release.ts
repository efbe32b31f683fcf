import { rulesEngine } from '@isthmus/schema/cel';
import { checkDefinition, orderedFindings, releaseFindings } from '@isthmus/upgrade';
import type { ReleaseContext } from '@isthmus/upgrade';
import type { GivenFlags } from '../../../command/flag.ts';
import type { FindingsFormat } from '../../output/findings-flag.ts';
import type { ExitCode } from '../../../command/exit-code.ts';
import type { Io } from '../../../world/io.ts';
import type { demandFlags } from '../../bundle/demand-flags.ts';
import { demandsOf } from '../../bundle/demands.ts';
import { loadBundle } from '../../bundle/load-bundle.ts';
import { readPolicies } from '../../input/read-policies.ts';
import { readHistories } from '../../input/read-histories.ts';
import { showFindings } from '../../output/show-findings.ts';
import { readWaivers } from '../../input/read-waivers.ts';

export interface ReleaseFlags extends GivenFlags<typeof demandFlags> {
  readonly history: string | undefined;
  readonly policy: string | undefined;
  readonly waivers: string | undefined;
  readonly output: FindingsFormat | undefined;
}

/**
 * Prints the promises that the second of two bundles breaks. The time is the creation of the new
 * bundle.
 */
export async function checkRelease(io: Io, flags: ReleaseFlags, files: readonly [string, string]): Promise<ExitCode> {
  const demands = await demandsOf(io, flags);
  const [old, next] = [await loadBundle(io, files[0], demands), await loadBundle(io, files[1], demands)];
  const now = next.loaded.bundle.spec.createdAt;
  const policies = await readPolicies(io, flags.policy);
  const waivers = await readWaivers(io, flags.waivers, { policies });
  const today = new Date(io.clock.now()).toISOString();
  const checkCrd: ReleaseContext['checkCrd'] = (before, after) =>
    checkDefinition(before, after, { server: {}, waivers, today, companions: [], compileRules: rulesEngine }).findings;
  const { findings, notExamined } = releaseFindings(old.loaded, next.loaded, {
    policies,
    histories: await readHistories(io, flags.history),
    now,
    checkCrd,
  });
  const ofFiles = [...old.findings, ...next.findings];
  const report = { findings: orderedFindings([...ofFiles, ...findings]), notExamined };
  const about = { old: files[0], new: files[1] };
  return showFindings(io, report, { output: flags.output, about, waivers, today });
}
