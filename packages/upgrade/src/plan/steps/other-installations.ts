import type { KubernetesObject } from '@isthmus/machinery';
import type { LoadedBundle } from '../../bundle/loaded-bundle.ts';
import type { Finding } from '../../finding.ts';
import { planFinding } from '../format/plan-finding.ts';
import type { Move } from '../order/move.ts';
import type { Content } from './content.ts';

/**
 * Reports a component that runs under other names than in the bundle, in the same Namespace: a
 * second release, or one with a prefix. Applying the manifest would leave these workloads
 * unchanged. Names of earlier bundles do not count: these objects are left over. Reports nothing if
 * the manifest is not available.
 */
export function otherInstallationFindings(
  { component, cluster }: Pick<Move, 'component' | 'cluster'>,
  { all, missing }: Pick<Content, 'all' | 'missing'>,
  bundles: readonly LoadedBundle[],
): readonly Finding[] {
  if (cluster === undefined || component.method !== 'apply' || missing.length > 0) return [];
  const live = cluster.components.find(({ id }) => id === component.id)?.live ?? [];
  const named = new Set(bundles.flatMap(({ contents }) => [...contents.values()].flat()).flatMap(placeOfWorkload));
  const wanted = all.flatMap(placeOfWorkload);
  const namespaces = [...new Set(live.flatMap(({ namespace }) => namespace ?? []))].toSorted();
  return namespaces.flatMap((namespace) => {
    const inBundle = wanted.filter((one) => one.startsWith(`${namespace}/`));
    const running = live.filter((one) => one.namespace === namespace).flatMap(({ workloads = [] }) => workloads);
    const others = [...new Set(running)].filter((name) => !named.has(`${namespace}/${name}`)).toSorted();
    if (inBundle.length === 0 || others.length === 0) return [];
    const isSecond = running.some((name) => inBundle.includes(`${namespace}/${name}`));
    const [there, here] = [others, inBundle.map((one) => one.slice(namespace.length + 1))].map((names) =>
      names.join(', '),
    );
    return [
      planFinding(
        'plan.other-installation',
        'block',
        { cluster: cluster.name, component: component.id },
        {
          why: isSecond
            ? `in Namespace ${namespace}, ${component.id} also runs as ${there}, which the bundle does not have: this installation would not be upgraded, and both would share the CRDs of the bundle`
            : `in Namespace ${namespace}, ${component.id} runs as ${there}, but the bundle has it as ${here}: it would be installed a second time, and the running installation would not be upgraded`,
          unblock: isSecond
            ? `remove one of the two as its own documentation describes, or upgrade ${there} with the tool that installed it and waive this finding`
            : `use a bundle whose manifest has these names, or upgrade ${there} with the tool that installed it`,
        },
      ),
    ];
  });
}

/** `namespace/name` of a Deployment or DaemonSet; none of other objects. */
function placeOfWorkload({ kind, metadata }: KubernetesObject): readonly string[] {
  return kind === 'Deployment' || kind === 'DaemonSet' ? [`${metadata.namespace ?? 'default'}/${metadata.name}`] : [];
}
