import type { Complete } from '@isthmus/schema';
import { present } from '../present.ts';
import { bytewise } from '../precedence.ts';
import type { Exporter } from '../precedence.ts';
import type { MergedPort, Protocol } from '../types.ts';

/** A port of a Service with all values filled in; the unnamed port has an empty name. */
export interface ServicePort {
  readonly name: string;
  readonly protocol: Protocol;
  readonly port: number;
  readonly appProtocol?: string | undefined;
}

export interface PortsExporter extends Exporter {
  readonly ports: readonly ServicePort[];
}

/** One exporter's port, to be compared with the merged port. */
export interface PortClaim {
  readonly exporter: Exporter;
  readonly port: ServicePort;
}

/**
 * A merged port, the exporters that expose it, and those that contradict it. Lists are in order of
 * precedence. The first exporter that exposes the port defines it.
 */
export interface PortUnion {
  readonly port: ServicePort;
  /** Same name, protocol and number; `appProtocol` may differ. Never empty. */
  readonly exposedBy: readonly PortClaim[];
  /** Same name, another protocol or number: not used. */
  readonly nameClashes: readonly PortClaim[];
  /** Same protocol and number under another name: not used. */
  readonly numberClashes: readonly PortClaim[];
}

/**
 * The union of the ports of all exporters, which are given in order of precedence.
 *
 * Rule (docs/spec/merge.md §3): ports are taken exporter by exporter, oldest first. A port joins
 * the union unless a port already in it has its name, or else its protocol and number. So only an
 * older port that is in the union keeps another one out. No name (the empty one included) and no
 * (protocol, number) occurs twice. A port that is not in the union keeps no other port out.
 *
 * Guarantees: depends on the set of exporters only, not on their order in the input. Over any
 * number of exporters it is one fold over the original exports, never a merge of merged results.
 * Without a younger exporter, the older ones expose the same ports, and an exporter that joins only
 * adds ports. Order: the oldest exporter's own, then the rest by (protocol, number). Cost: linear
 * in the ports of all exporters, and the sorting of the rest.
 */
export function uniteServicePorts(exporters: readonly PortsExporter[]): readonly PortUnion[] {
  const unions: MutableUnion[] = [];
  const byName = new Map<string, MutableUnion>();
  const byNumber = new Map<string, MutableUnion>();
  for (const exporter of exporters) {
    for (const port of exporter.ports) {
      const claim = { exporter, port };
      const sameName = byName.get(port.name);
      const sameNumber = byNumber.get(numberOf(port));
      if (sameName !== undefined) {
        (sameName === sameNumber ? sameName.exposedBy : sameName.nameClashes).push(claim);
      } else if (sameNumber !== undefined) {
        sameNumber.numberClashes.push(claim);
      } else {
        const union = { port, exposedBy: [claim], nameClashes: [], numberClashes: [] };
        unions.push(union);
        byName.set(port.name, union);
        byNumber.set(numberOf(port), union);
      }
    }
  }
  const own = exporters[0]?.ports.length ?? 0;
  return [...unions.slice(0, own), ...unions.slice(own).sort((a, b) => byProtocolAndNumber(a.port, b.port))];
}

/** For each exporter, the ports that it exposes, as they are in the union and in its order. */
export function exposedPorts(unions: readonly PortUnion[]): ReadonlyMap<string, readonly ServicePort[]> {
  const exposed = new Map<string, ServicePort[]>();
  for (const union of unions) {
    for (const { exporter } of union.exposedBy) {
      const ports = exposed.get(exporter.clusterID) ?? [];
      exposed.set(exporter.clusterID, ports);
      ports.push(union.port);
    }
  }
  return exposed;
}

/** The port in the form of the import. */
export function mergedPortOf(port: ServicePort): MergedPort {
  const complete: Complete<MergedPort> = {
    name: port.name === '' ? undefined : port.name,
    protocol: port.protocol,
    port: port.port,
    appProtocol: port.appProtocol,
  };
  return present(complete);
}

interface MutableUnion extends PortUnion {
  readonly exposedBy: PortClaim[];
  readonly nameClashes: PortClaim[];
  readonly numberClashes: PortClaim[];
}

/** The part that two ports of one Service cannot share, besides the name. */
export function numberOf(port: ServicePort): string {
  return `${port.protocol} ${port.port}`;
}

function byProtocolAndNumber(a: ServicePort, b: ServicePort): number {
  return bytewise(a.protocol, b.protocol) || a.port - b.port;
}
