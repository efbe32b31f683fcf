import { addressText, cidrText } from '@isthmus/machinery';
import { packetText } from '../oracle/packet.ts';
import type { End, Walk } from '../oracle/walk.ts';
import type { Trace } from './trace-request.ts';

/** A trace as text: the path hop by hop, and its end. */
export function traceLines(trace: Trace): readonly string[] {
  const { packet, service, identity, sentTo, unansweredOn, mayBeDirectOn, virtual = [], problems, trip, ways } = trace;
  const { request, answer } = trip;
  return [
    `${packetText(packet)}${service === undefined ? '' : ` (imported Service ${service})`}`,
    ...(identity === undefined ? [] : [`Its tunnel packets carry number ${identity} for the labels of the client.`]),
    ...walkLines(request),
    endLine(request.end, sentTo),
    ...(unansweredOn === undefined
      ? []
      : [
          `It is dropped there: Node ${unansweredOn} has no Pod CIDR of ${packet.source.family}, and so no address under which programs in its network reach other clusters.`,
        ]),
    ...(mayBeDirectOn === undefined
      ? []
      : [
          `Agents of cluster ${sentTo} answer questions past the tunnels. If \`isthmus agent show\` on Node ${mayBeDirectOn} lists the direct path to ${sentTo} as used, the packet takes that path instead of the tunnels.`,
        ]),
    ...virtual.map(
      (pair) => `There, ${cidrText(pair.virtual)} stands for Pods with addresses in ${cidrText(pair.own)}.`,
    ),
    ...(answer === undefined ? [] : ['', 'The answer', ...walkLines(answer), endLine(answer.end, undefined)]),
    ...(ways.length === 0 ? [] : ['']),
    ...ways.flatMap(({ message, next }) => [`Note: ${message}.`, `  Next: ${next}`]),
    ...(problems.length === 0 ? [] : ['', 'Not used']),
    ...problems.map(
      ({ kind, namespace, name, message }) =>
        `  ${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}: ${message}`,
    ),
  ];
}

function walkLines({ steps }: Walk): readonly string[] {
  const width = Math.max(...steps.map(({ node }) => node.length));
  return steps.map(({ node, text }, index) => {
    const isSame = steps[index - 1]?.node === node;
    return `  ${(isSame ? '' : node).padEnd(width)}  ${text}`;
  });
}

function endLine(end: End, sentTo: string | undefined): string {
  switch (end.kind) {
    case 'delivered':
      return `Delivered on Node ${end.node}, as ${packetText(end.packet)}.`;
    case 'rejected':
      return `Rejected on Node ${end.node}: the client gets an error at once.`;
    case 'dropped':
      return `Dropped on Node ${end.node}.`;
    case 'sent':
      return sentTo === undefined
        ? `Sent to ${addressText(end.to)}.`
        : `Sent to ${addressText(end.to)}, a gateway of cluster ${sentTo}, whose Nodes this cluster does not know.`;
    case 'left':
      return `Left to the routes of Node ${end.node}: Isthmus does not carry packets to this address.`;
  }
}
