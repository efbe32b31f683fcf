import {
  componentBundle,
  parseVersion,
  orderedFindings,
  placedComponents,
  readingFindings,
  startViolations,
  stateOf,
  violationsOf,
  withoutBeside,
} from '@isthmus/upgrade';
import type { ComponentBundle, FleetState, Policy, SupportOf, ViolationOptions } from '@isthmus/upgrade';
import type { FindingsFormat } from '../../output/findings-flag.ts';
import type { ExitCode } from '../../../command/exit-code.ts';
import type { Io } from '../../../world/io.ts';
import { readInput } from '../../input/read-input.ts';
import { readPolicies } from '../../input/read-policies.ts';
import { readSnapshot } from '../../input/read-snapshot.ts';
import { demand } from '../../flags/demand.ts';
import { showFindings } from '../../output/show-findings.ts';
import { readWaivers } from '../../input/read-waivers.ts';

export interface SkewFlags {
  readonly snapshot: string | undefined;
  readonly bundle: string | undefined;
  readonly policy: string | undefined;
  readonly kubernetes: string | undefined;
  readonly settled: boolean | undefined;
  readonly waivers: string | undefined;
  readonly output: FindingsFormat | undefined;
}

/** Prints the versions of a snapshot that cannot run together. */
export async function checkSkew(io: Io, flags: SkewFlags): Promise<ExitCode> {
  const source = demand(flags.snapshot, 'snapshot');
  const snapshot = await readSnapshot(io, source);
  const policies = await readPolicies(io, flags.policy);
  const bundle = flags.bundle === undefined ? noBundle() : (await readInput(io, componentBundle, flags.bundle)).value;
  const state = stateOf(snapshot, { bundle });
  const options: ViolationOptions = { supportOf: supportBy(bundle) };
  const { kubernetes } = flags;
  const findings =
    kubernetes === undefined
      ? flags.settled === true
        ? violationsOf(state, policies, true, options)
        : startViolations(state, policies, options)
      : violationsOf(onKubernetes(state, kubernetes), windowsOf(policies), false, options);
  return showFindings(
    io,
    { findings: orderedFindings([...readingFindings(snapshot), ...findings.map(withoutBeside)]), snapshot },
    {
      output: flags.output,
      about: { snapshot: source, at: snapshot.spec.takenAt, kubernetes: kubernetes ?? null },
      waivers: await readWaivers(io, flags.waivers, { policies }),
      today: snapshot.spec.takenAt,
    },
  );
}

/**
 * The promises of a bundle about the versions that it contains; it promises nothing about others.
 */
function supportBy(bundle: ComponentBundle): SupportOf {
  const ranges = new Map(
    placedComponents(bundle).flatMap(({ component: { id, version, supports } }) =>
      supports.kubernetes === undefined ? [] : [[`${id} ${version.upstream}`, supports.kubernetes] as const],
    ),
  );
  return ({ component, version }) => ranges.get(`${component} ${version.text.replace(/\+.*$/, '')}`);
}

/** The fleet, with Kubernetes at a minor everywhere. */
function onKubernetes({ clusters, instances }: FleetState, minor: string): FleetState {
  const version = parseVersion(`v${minor}.0`);
  const isPlatform = (type: string) => type === 'kube-apiserver' || type === 'kubelet';
  return { clusters, instances: instances.map((one) => (isPlatform(one.type) ? { ...one, version } : one)) };
}

/** Policies with nothing but their Kubernetes windows. */
function windowsOf(policies: readonly Policy[]): readonly Policy[] {
  return policies.map((policy) => ({ ...policy, spec: { ...policy.spec, skew: [], floors: [] } }));
}

function noBundle(): ComponentBundle {
  const spec = { number: 1, channel: 'none', createdAt: '1970-01-01T00:00:00Z', components: [] };
  return componentBundle.decode({ apiVersion: 'v1', kind: 'ComponentBundle', metadata: { name: 'none' }, spec }).value;
}
