/**
 * The results of one gateway's probes of the gateways of another cluster (docs/spec/wire.md §8.4).
 */
export interface ClusterProbes {
  readonly clusterID: string;
  /** How many of its gateways answer. */
  readonly answering: number;
  /** How many do not. */
  readonly silent: number;
  /** How many are probed, those without a result included. */
  readonly gateways: number;
  /** The greatest round-trip time, in milliseconds. Undefined: no gateway answers. */
  readonly roundTripMs: number | undefined;
  /** The greatest share of lost probes, in percent, among gateways that answer. */
  readonly lossPercent: number;
  /** Addresses of those that do not answer, at most {@link mostSilentAddresses}. */
  readonly silentAddresses: readonly string[];
}

export const mostSilentAddresses = 3;

/** So many clusters are reported; those behind them are not. */
export const mostProbedClusters = 256;

const longest = mostProbedClusters * 256;
const entry = /^(\S{1,63}) (\d{1,4})\/(\d{1,4})\/(\d{1,4})(?: (\d{1,5})ms)? (\d{1,3})%(?: ([0-9a-fA-F.:+]{1,140}))?$/;

/**
 * As the annotation `isthmus.dev/probes` has them: `west 1/1/2 5ms 5% 192.0.2.11, …`: answering,
 * silent and probed gateways.
 */
export function probesText(clusters: readonly ClusterProbes[]): string {
  return clusters
    .slice(0, mostProbedClusters)
    .map(({ clusterID, answering, silent, gateways, roundTripMs, lossPercent, silentAddresses }) =>
      [
        clusterID,
        `${answering}/${silent}/${gateways}`,
        ...(roundTripMs === undefined ? [] : [`${roundTripMs}ms`]),
        `${lossPercent}%`,
        ...(silentAddresses.length === 0 ? [] : [silentAddresses.slice(0, mostSilentAddresses).join('+')]),
      ].join(' '),
    )
    .join(', ');
}

/**
 * Reads the annotation. Invalid entries are left out. Returns undefined if the object has no such
 * annotation.
 */
export function parseProbes(text: string | undefined): readonly ClusterProbes[] | undefined {
  if (text === undefined) return undefined;
  if (text.length > longest) return [];
  return text
    .split(', ')
    .slice(0, mostProbedClusters)
    .flatMap((one): readonly ClusterProbes[] => {
      const found = entry.exec(one);
      if (found === null) return [];
      const [, clusterID = '', answering, silent, gateways, ms, loss, addresses] = found;
      return [
        {
          clusterID,
          answering: Number(answering),
          silent: Number(silent),
          gateways: Number(gateways),
          roundTripMs: ms === undefined ? undefined : Number(ms),
          lossPercent: Number(loss),
          silentAddresses: addresses === undefined ? [] : addresses.split('+').slice(0, mostSilentAddresses),
        },
      ];
    });
}

/** Gateways of another cluster to which large packets are lost, although small ones arrive. */
export interface SmallPath {
  readonly clusterID: string;
  /** The size of the largest packet that all of them answer, in bytes. */
  readonly carries: number;
  /** The size of the largest packet that the tunnel carries. */
  readonly largest: number;
  /** Their addresses, at most {@link mostSilentAddresses}. */
  readonly addresses: readonly string[];
}

const smallEntry = /^(\S{1,63}) (\d{1,5})\/(\d{1,5}) ([0-9a-fA-F.:+]{1,140})$/;

/** As the annotation `isthmus.dev/small-paths` has them: `west 1316/1450 192.0.2.11, …`. */
export function smallPathsText(paths: readonly SmallPath[]): string {
  return paths
    .slice(0, mostProbedClusters)
    .map(
      ({ clusterID, carries, largest, addresses }) =>
        `${clusterID} ${carries}/${largest} ${addresses.slice(0, mostSilentAddresses).join('+')}`,
    )
    .join(', ');
}

/** Reads the annotation. Invalid entries are left out. */
export function parseSmallPaths(text = ''): readonly SmallPath[] {
  if (text.length > longest) return [];
  return text
    .split(', ')
    .slice(0, mostProbedClusters)
    .flatMap((one): readonly SmallPath[] => {
      const found = smallEntry.exec(one);
      if (found === null) return [];
      const [, clusterID = '', carries, largest, addresses = ''] = found;
      return [
        {
          clusterID,
          carries: Number(carries),
          largest: Number(largest),
          addresses: addresses.split('+').slice(0, mostSilentAddresses),
        },
      ];
    });
}
