import type { EventReason, Gateway, ResourceExport, gatewayStatus } from '@isthmus/api';
import type { Outcome } from '@isthmus/kube';
import { again, blocked, done } from '@isthmus/kube';
import { equal } from '@isthmus/machinery';
import { restartOfController } from '../../../loss/held-condition.ts';
import type { ExchangeConfig } from '../../../own-cluster/own-cluster.ts';
import { gatewayProblem, serviceCIDRProblem, withoutOtherKeys } from './decide.ts';

/**
 * The memory between looks at the export of the own network. A restart loses it, which costs one
 * more Event, one more write, and a minute. All times are from the monotonic clock.
 */
export interface ExportMemory {
  /** The reported problem of each Gateway, by name and uid. */
  readonly reported: ReadonlyMap<string, string>;
  /** An export whose keys the leader's API server drops: another write would change nothing. */
  readonly dropped: ResourceExport | undefined;
  /** Since when the leader has published nothing. */
  readonly unpublishedMs: number | undefined;
  /** Since when the leader has not confirmed virtual ranges that this cluster knows. */
  readonly unconfirmedMs: number | undefined;
}

export const nothingExported: ExportMemory = {
  reported: new Map(),
  dropped: undefined,
  unpublishedMs: undefined,
  unconfirmedMs: undefined,
};

/** A Gateway that cannot be exported unchanged. */
export interface UnusableGateway {
  readonly gateway: Gateway;
  readonly reason: EventReason<typeof gatewayStatus>;
  readonly message: string;
}

/** The problems of Gateways that have not been reported yet. */
export function newProblems(
  memory: ExportMemory,
  gateways: readonly Gateway[],
  config: ExchangeConfig,
): { readonly memory: ExportMemory; readonly found: readonly UnusableGateway[] } {
  const all = gateways.flatMap((gateway): readonly UnusableGateway[] => {
    const address = gatewayProblem(gateway);
    const message = address ?? serviceCIDRProblem(gateway, config);
    if (message === undefined) return [];
    return [{ gateway, reason: address === undefined ? 'ServiceCIDRUnknown' : 'InvalidGatewayIP', message }];
  });
  return {
    memory: { ...memory, reported: new Map(all.map(({ gateway, message }) => [idOf(gateway), message])) },
    found: all.filter(({ gateway, message }) => memory.reported.get(idOf(gateway)) !== message),
  };
}

/** The export to write. It has no further keys if the leader's API server drops them. */
export function keptKeys({ dropped }: ExportMemory, object: ResourceExport): ResourceExport {
  return equal(dropped, object) ? withoutOtherKeys(object) : object;
}

/** The leader's API server has stored `kept` after a write of `object`. */
export function wrote(memory: ExportMemory, object: ResourceExport, kept: ResourceExport | undefined): ExportMemory {
  const isDropped = equal(kept?.spec?.clusterInfo, withoutOtherKeys(object).spec?.clusterInfo);
  return { ...memory, dropped: isDropped ? object : undefined };
}

/**
 * How long a leader may give no answer before it is reported that it does not publish the network.
 * After that, also how often to look again.
 */
const overdueMs = 60_000;

export interface PublishedInput {
  /**
   * Whether a leader that gives no other answer than imports should have published one, and has
   * not.
   */
  readonly isUnpublished: boolean;
  readonly nowMs: number;
  readonly leaderClusterID: string;
  readonly leaderNamespace: string;
  /** The name of the ResourceImport. */
  readonly name: string;
}

/**
 * An Antrea leader writes no status on an export. Only the import shows that it publishes, and the
 * leader does not write the import again if a user deletes it.
 */
export function whetherPublished(
  memory: ExportMemory,
  input: PublishedInput,
): { readonly memory: ExportMemory; readonly outcome: Outcome<EventReason<typeof gatewayStatus>> } {
  if (!input.isUnpublished) return { memory: { ...memory, unpublishedMs: undefined }, outcome: done };
  const { nowMs, leaderClusterID, leaderNamespace, name } = input;
  const unpublishedMs = memory.unpublishedMs ?? nowMs;
  const waiting = { ...memory, unpublishedMs };
  const leftMs = unpublishedMs + overdueMs - nowMs;
  if (leftMs > 0)
    return { memory: waiting, outcome: again(leftMs, 'the leader has not published the network of this cluster') };
  const message = `Leader ${leaderClusterID} has not published the network of this cluster for a minute: there is no ResourceImport ${name}. Its controller may be stopped, or the ResourceImport was deleted, and Antrea does not publish it again by itself. Restart the controller there: ${restartOfController(leaderNamespace)}`;
  return { memory: waiting, outcome: blocked('NotExported', message, { lookAgainMs: overdueMs }) };
}

function idOf({ metadata: { name, uid = '' } }: Gateway): string {
  return `${name} ${uid}`;
}
