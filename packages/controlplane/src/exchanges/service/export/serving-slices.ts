import type { EndpointSlice, Service, ServicePort } from '@isthmus/api';
import { firstOf } from '@isthmus/machinery';
import { isReady } from '@isthmus/wire';
import { foreignMark } from '../local/foreign-slices.ts';

/** The slices of a Service that this cluster exports, and why others are not exported. */
export interface JudgedSlices {
  readonly slices: readonly EndpointSlice[];
  /** Each is a sentence without a full stop. */
  readonly notes: readonly string[];
}

const mostShown = 3;

/** Leaves out slices that another tool marks as slices of another cluster. */
export function ownSlices(slices: readonly EndpointSlice[], ownClusterID: string): JudgedSlices {
  const marks = new Map(slices.map((slice) => [slice, foreignMark(slice, ownClusterID)]));
  const left = slices.filter((slice) => marks.get(slice) !== undefined);
  if (left.length === 0) return { slices, notes: [] };
  const shown = firstOf(left, mostShown, (slice) => `${slice.metadata.name} (${marks.get(slice) ?? ''})`);
  return {
    slices: slices.filter((slice) => marks.get(slice) === undefined),
    notes: [`EndpointSlices that are marked as slices of another cluster are not exported: ${shown.join(', ')}`],
  };
}

/**
 * Leaves out slices that serve no port of the Service. As for kube-proxy, a slice serves a port if
 * it has a number for its name and protocol. A headless Service without ports is served by any.
 */
export function servingSlices({ spec }: Service, slices: readonly EndpointSlice[]): JudgedSlices {
  const { ports = [], clusterIP } = spec ?? {};
  if (ports.length === 0 && clusterIP === 'None') return { slices, notes: [] };
  const ready = slices.filter(({ endpoints }) => endpoints?.some(isReady) === true);
  const unserved = ports.filter((port) => ready.length > 0 && !ready.some((slice) => serves(slice, port)));
  const isServing = (slice: EndpointSlice) => ports.some((port) => serves(slice, port));
  const useless = ready.filter((slice) => !isServing(slice));
  return {
    slices: slices.filter(isServing),
    notes: [
      ...unserved.map((port) => `No endpoint serves ${portText(port)} of the Service: ${lacking(ready)}`),
      ...(unserved.length > 0 || useless.length === 0 ? [] : [`Endpoints are not used: ${lackingAny(useless)}`]),
    ],
  };
}

function serves({ ports }: EndpointSlice, { name = '', protocol = 'TCP' }: ServicePort): boolean {
  return (ports ?? []).some(
    (port) => port.port !== undefined && (port.name ?? '') === name && (port.protocol ?? 'TCP') === protocol,
  );
}

function portText({ name = '', protocol = 'TCP', port }: ServicePort): string {
  return name === '' ? `port ${port} (${protocol}, without name)` : `port ${name} (${protocol})`;
}

const lacking = (slices: readonly EndpointSlice[]) => `${named(slices)} no port of that name and protocol`;
const lackingAny = (slices: readonly EndpointSlice[]) => `${named(slices)} no port of the Service`;

function named(slices: readonly EndpointSlice[]): string {
  const names = firstOf(slices, mostShown, ({ metadata }) => metadata.name).join(', ');
  return slices.length === 1 ? `EndpointSlice ${names} has` : `EndpointSlices ${names} have`;
}
