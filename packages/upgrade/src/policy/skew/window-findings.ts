import type { Finding } from '../../finding.ts';
import { minorOf } from '../../version/parse-version.ts';
import type { Minor } from '../../version/version.ts';
import type { FleetIndex } from '../../fleet/fleet-index.ts';
import type { Instance } from '../../fleet/fleet-state.ts';
import type { SupportedKubernetes } from '../kubernetes-window.ts';
import { compareMinors, supportedMinors } from '../kubernetes-window.ts';
import type { KubernetesWindow } from '../version-rules.ts';
import { instancesText } from '../../fleet/where-text.ts';

/**
 * The Kubernetes range that a bundle declares for a running component; absent if it declares none,
 * or for another version.
 */
export type SupportOf = (instance: Instance) => SupportedKubernetes | undefined;

/** The context for judging windows. */
export interface WindowContext {
  readonly index: FleetIndex;
  readonly supportOf: SupportOf;
  readonly touched?: readonly Instance[] | undefined;
}

/** The types of which the window has to admit every version. */
const platform = ['kube-apiserver', 'kubelet'] as const;

/**
 * Components outside of their Kubernetes window, by a rule: against every API server and kubelet of
 * the cluster. A bundle's own range wins. A version beyond the data of the rule gets a note.
 */
export function windowFindings(
  rule: KubernetesWindow,
  { index, supportOf, touched }: WindowContext,
): readonly Finding[] {
  return eachVersion(index, rule.subject, touched, (instances, first) => {
    if (supportOf(first) !== undefined) return [];
    const minors = supportedMinors(rule, first.version);
    const subject = { cluster: first.cluster, component: first.component };
    if (minors === undefined) {
      const why = `the Kubernetes minors that ${instancesText(instances)} supports are unknown`;
      return [{ rule: rule.id, severity: 'info', subject, why, source: rule.source }];
    }
    const outside = outsiders(index, first, (minor) => minors.includes(minor));
    if (outside.length === 0) return [];
    const list = minors.toSorted(compareMinors).join(', ');
    return [finding(rule, instances, outside, `Kubernetes ${list}`)];
  });
}

/** Components outside of the range that their bundle gives them. */
export function supportFindings({ index, supportOf, touched }: WindowContext): readonly Finding[] {
  return [...index.types].flatMap((type) =>
    eachVersion(index, type, touched, (instances, first) => {
      const range = supportOf(first);
      if (range === undefined) return [];
      const isInside = (minor: Minor) => compareMinors(minor, range.min) >= 0 && compareMinors(minor, range.max) <= 0;
      const outside = outsiders(index, first, isInside);
      if (outside.length === 0) return [];
      const text = `Kubernetes ${range.min} to ${range.max}`;
      return [finding(bundleRule, instances, outside, text)];
    }),
  );
}

function eachVersion(
  index: FleetIndex,
  type: string,
  touched: readonly Instance[] | undefined,
  judge: (instances: readonly Instance[], first: Instance) => readonly Finding[],
): readonly Finding[] {
  const strikes = ({ type: changed }: Instance) => changed === type || platform.some((one) => one === changed);
  const clusters =
    touched === undefined
      ? [...index.clustersOf(type)]
      : [...new Set(touched.filter(strikes).map(({ cluster = '' }) => cluster))];
  return clusters.flatMap((cluster) =>
    [...index.in(type, cluster).values()].flatMap((all) =>
      [...Map.groupBy(all, ({ component }) => component).values()].flatMap((some) => {
        const [first] = some;
        return first === undefined ? [] : judge(some, first);
      }),
    ),
  );
}

/**
 * API servers and kubelets beside a component that does not support their minor. A version without
 * a minor is not supported.
 */
function outsiders(index: FleetIndex, { cluster = '' }: Instance, isInside: (minor: Minor) => boolean) {
  if (cluster === '') return [];
  return platform.flatMap((type) =>
    [...index.in(type, cluster).values()].filter(([first]) => {
      const minor = first === undefined ? undefined : minorOf(first.version);
      return minor === undefined || !isInside(minor);
    }),
  );
}

type Says = Pick<KubernetesWindow, 'id' | 'severity' | 'message' | 'source'>;

const bundleRule: Says = { id: 'bundle.kubernetes', severity: 'block', source: 'the bundle' };

function finding(
  says: Says,
  instances: readonly Instance[],
  outside: readonly (readonly Instance[])[],
  supported: string,
): Finding {
  const [first] = instances;
  const others = outside.map(instancesText).join(' and ');
  return {
    rule: says.id,
    severity: says.severity,
    subject: { cluster: first?.cluster, component: first?.component },
    why: `${says.message === undefined ? '' : `${says.message}: `}${instancesText(instances)} supports ${supported}, not ${others}`,
    unblock: `upgrade Kubernetes or ${first?.component}, whichever is behind`,
    source: says.source,
  };
}
