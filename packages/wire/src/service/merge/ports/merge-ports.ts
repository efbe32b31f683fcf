import type { Complete } from '@isthmus/schema';
import { present } from '../present.ts';
import { bytewise } from '../precedence.ts';
import type { Exporter } from '../precedence.ts';
import type { MergedPort, Protocol } from '../types.ts';

/** A port of a Service with everything filled in; the name is empty for the unnamed one. */
export interface ServicePort {
  readonly name: string;
  readonly protocol: Protocol;
  readonly port: number;
  readonly appProtocol?: string | undefined;
}

export interface PortsExporter extends Exporter {
  readonly ports: readonly ServicePort[];
}

/** What one exporter says of a port, against what the merged port is. */
export interface PortClaim {
  readonly exporter: Exporter;
  readonly port: ServicePort;
}

/** A merged port, who exposes it, and who says otherwise. Lists are in order of precedence; the first to expose it made it. */
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
 * The union of the ports of all exporters, which come in order of precedence.
 *
 * Rule (docs/spec/merge.md §3): ports are taken exporter by exporter, oldest first. A port joins the union unless a port
 * already in it has its name, or else its protocol and number; so a port stays out only because of an older one that is in, and no
 * name (the empty one included) and no (protocol, number) occurs twice. A port that stayed out keeps nothing else out.
 *
 * Guarantees: depends on the set of exporters only, not on how they came. Over any number of exporters it is one fold over the
 * original exports, never a merge of merged results: taking a younger exporter away changes nothing that the older ones expose, and
 * an exporter that joins only adds. Order: the oldest exporter's own, then the rest by (protocol, number).
 * Cost: linear in the ports of all exporters, and the sorting of the rest.
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

/** Per exporter the ports that it exposes as the union has them, in the order of the union. */
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

/** The port as the import carries it. */
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

/** What two ports of one Service cannot share, besides the name. */
export function numberOf(port: ServicePort): string {
  return `${port.protocol} ${port.port}`;
}

function byProtocolAndNumber(a: ServicePort, b: ServicePort): number {
  return bytewise(a.protocol, b.protocol) || a.port - b.port;
}
