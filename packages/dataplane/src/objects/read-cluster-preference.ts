import { Annotation } from '@isthmus/api';
import type { Service } from '@isthmus/api';
import type { ImportedService } from '../desired/cluster-network.ts';
import type { Problem } from './problem.ts';

/**
 * The clusters that users of an imported Service prefer, from its annotations:
 * `isthmus.dev/cluster-order: local, west` and `isthmus.dev/cluster-weights: local=3, west=1`. The
 * own cluster is `local`, or has its ID. An annotation that is not valid is reported, and counts as
 * absent.
 */
export function readClusterPreference(
  { metadata }: Service,
  ownIDs: ReadonlySet<string>,
  problems: Problem[],
): Pick<ImportedService, 'clusterOrder' | 'clusterWeights'> {
  const normal = (clusterID: string) => (clusterID === 'local' || ownIDs.has(clusterID) ? '' : clusterID);
  const read = <T>(annotation: string, parse: (texts: readonly string[]) => T | undefined, form: string) => {
    const text = metadata.annotations?.[annotation];
    if (text === undefined) return undefined;
    const parsed = parse(text.split(',').map((one) => one.trim()));
    if (parsed === undefined)
      problems.push({
        kind: 'Service',
        namespace: metadata.namespace,
        name: metadata.name,
        message: `Annotation ${annotation} is not used: ${JSON.stringify(text)} is not ${form}.`,
      });
    return parsed;
  };
  const clusterOrder = read(
    Annotation.clusterOrder,
    (texts) => (texts.every((text) => clusterName.test(text)) ? texts.map(normal) : undefined),
    'a list of cluster IDs, such as "local, west"',
  );
  const clusterWeights = read(
    Annotation.clusterWeights,
    (texts) => {
      const pairs = texts.map((text) => weight.exec(text));
      return pairs.every((pair) => pair !== null)
        ? new Map(pairs.map(([, clusterID = '', number]) => [normal(clusterID), Number(number)]))
        : undefined;
    },
    'a list of weights from 0 to 100, such as "local=3, west=1"',
  );
  return {
    ...(clusterOrder === undefined ? {} : { clusterOrder }),
    ...(clusterWeights === undefined ? {} : { clusterWeights }),
  };
}

const clusterName = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/;
const weight = /^([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)=(100|[1-9]?\d)$/;
