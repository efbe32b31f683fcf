import { gatewayLeaseName } from '@isthmus/api';
import { ownNode } from '../desired/own-node.ts';
import type { AgentNote, AgentStatus } from '../status/agent-status.ts';
import { desiredItems, gatewayStatus, serviceStatuses, virtualStatus } from '../status/agent-status.ts';
import { policyStatus } from '../status/policy-status.ts';
import { unreadReasons } from '../status/unread-reasons.ts';
import type { KeepingOptions } from './keep-network.ts';
import { agentReader, flowNotes, leaseNotes, missingRights, policyReader, staleNotes } from './notes.ts';

/** Why the network of the Node is not as it should be; empty if it is. */
export function notReadyReasons({ objects, policies, memory }: KeepingOptions): readonly string[] {
  const { notWritten } = memory.state;
  const policyCaches = policies?.caches ?? {};
  return [
    ...unreadReasons(objects.caches, agentReader),
    ...unreadReasons(policyCaches, policyReader),
    ...missingRights(policyCaches, false).map(({ message }) => message),
    ...(notWritten === undefined ? [] : [notWritten]),
  ];
}

/** Notes that do not make the network wrong. */
export function agentNotes({ options, objects, policies, kernel, memory }: KeepingOptions): readonly AgentNote[] {
  const { leaseError, notForgotten, ways } = memory.state;
  const policyCaches = policies?.caches ?? {};
  return [
    ...staleNotes(objects.caches, agentReader),
    ...staleNotes(policyCaches, policyReader),
    ...missingRights(policyCaches, true),
    ...leaseNotes(`${options.namespace}/${gatewayLeaseName(options.node)}`, leaseError),
    ...kernel.surroundings.notes(),
    ...flowNotes(notForgotten),
    ...ways,
  ];
}

export function agentStatus(reporting: KeepingOptions): AgentStatus {
  const { options, gateways, memory } = reporting;
  const { wanted, problems } = memory.state;
  return {
    node: options.node,
    isGateway: wanted !== undefined && ownNode(wanted.cluster).isGateway,
    notReady: notReadyReasons(reporting),
    notes: agentNotes(reporting),
    problems,
    encryption: options.settings.wireGuardPort === undefined ? 'none' : 'wireGuard',
    gateways: gateways.reports().map(gatewayStatus),
    virtualPodCIDRs: (wanted?.cluster.virtualCIDRs ?? []).map(virtualStatus),
    directPaths: gateways.directPaths.status(wanted?.cluster),
    services: wanted === undefined ? [] : serviceStatuses(wanted.cluster),
    ...(wanted?.judged !== undefined && { policies: policyStatus(wanted.judged) }),
    ...(wanted !== undefined && { desired: desiredItems(wanted.network) }),
  };
}
