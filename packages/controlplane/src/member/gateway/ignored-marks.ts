import { Annotation } from '@isthmus/api';
import type { KubernetesObject } from '@isthmus/machinery';
import { shown } from '@isthmus/wire';

/** Antrea's prefix of annotations, which we share. */
const prefix = 'multicluster.antrea.io/';

/**
 * The marks on a Node that were meant to make it a gateway but have no effect: one sentence with
 * the next step for each.
 */
export function ignoredMarks({ metadata }: KubernetesObject): readonly string[] {
  const { name, annotations = {}, labels = {} } = metadata;
  const mark = annotations[Annotation.gateway];
  return [
    ...(mark === undefined || mark === 'true' || mark === 'false'
      ? []
      : [
          `Annotation ${Annotation.gateway} is ${shown(mark)}; only "true" makes the Node a gateway. Run: kubectl annotate node ${name} --overwrite ${Annotation.gateway}=true`,
        ]),
    ...Object.keys(annotations)
      .filter(isMistyped)
      .toSorted()
      .slice(0, mostNamed)
      .map((key) => noEffect(name, key)),
    ...[Annotation.gateway, Annotation.gatewayIP]
      // If the annotation exists too, the label may be for a selector.
      .filter((key) => labels[key] !== undefined && annotations[key] === undefined)
      .map((key) => {
        const value = key === Annotation.gateway ? 'true' : 'ADDRESS';
        return `Label ${key} has no effect, because gateways are marked by annotations. Run: kubectl label node ${name} ${key}- && kubectl annotate node ${name} ${key}=${value}`;
      }),
  ];
}

const mostNamed = 3;

/**
 * Whether the key is a misspelling such as `gateways`, `Gateway` or `gatewayIP`. Other annotations
 * with this prefix may belong to another program.
 */
function isMistyped(key: string): boolean {
  return (
    key.startsWith(prefix) &&
    key.slice(prefix.length).toLowerCase().startsWith('gateway') &&
    key !== Annotation.gateway &&
    key !== Annotation.gatewayIP
  );
}

function noEffect(name: string, key: string): string {
  return `Annotation ${shown(key)} has no effect; the annotations of gateways are ${Annotation.gateway} and ${Annotation.gatewayIP}. Remove it: kubectl annotate node ${name} ${key}-`;
}
