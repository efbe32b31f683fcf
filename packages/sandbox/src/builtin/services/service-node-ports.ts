import type { FieldError } from '@isthmus/schema';
import { invalid } from '../field-rules.ts';
import { hasNodePorts, isHealthChecked } from './service-shape.ts';
import type { ServicePort, ServiceSpec } from './service-shape.ts';

/** `--service-node-port-range` by default. */
const range = { first: 30_000, last: 32_767 };
/** The number of lower ports that are left to Services that name one. */
const reserved = 86;

/** Every port on nodes that a Service has. */
export function nodePortsOf({ ports = [], healthCheckNodePort = 0 }: ServiceSpec): readonly number[] {
  return [...ports.map(({ nodePort = 0 }) => nodePort), healthCheckNodePort].filter((port) => port !== 0);
}

export interface PortRoom {
  readonly taken: { has(port: number): boolean };
  readonly random: () => number;
  readonly dryRun: boolean;
}

interface Ported {
  readonly spec: ServiceSpec;
  readonly errors: readonly FieldError[];
  /** A failure that is not the error of a field: the request fails with 500. */
  readonly failure?: string | undefined;
}

/** The spec with a node port for each port that is to have one, and for health checks. */
export function withNodePorts(spec: ServiceSpec, before: ServiceSpec | undefined, from: PortRoom): Ported {
  const room = roomOf(from);
  const had = new Set((before?.ports ?? []).flatMap(({ nodePort = 0 }) => (nodePort === 0 ? [] : [nodePort])));
  const ports = (spec.ports ?? []).map((port) => ({ ...port }) as ServicePort & { nodePort?: number });
  const wants = spec.type === 'NodePort' || spec.allocateLoadBalancerNodePorts === true;
  const byPort = new Map<number, number>();
  const asks = new Map<number, number>();
  for (const { port, nodePort = 0 } of ports) if (nodePort !== 0 && !asks.has(port)) asks.set(port, nodePort);
  const used = new Set<string>();
  for (const [index, port] of hasNodePorts(spec) ? ports.entries() : []) {
    const wished = port.nodePort ?? 0;
    if (wished === 0 && !wants) continue;
    const fail = (number: number, why: string): Ported => ({
      spec,
      errors: [invalid(`spec.ports[${index}].nodePort`, number, why)],
    });
    if (before === undefined) {
      const known = byPort.get(port.port);
      if (known === undefined) {
        const asked = asks.get(port.port);
        const why = asked === undefined ? undefined : room.take(asked);
        if (asked !== undefined && why !== undefined) return fail(asked, why);
        port.nodePort = asked ?? room.next();
        byPort.set(port.port, port.nodePort);
      } else if (wished === 0) {
        port.nodePort = known;
      } else if (wished !== known) {
        const why = room.take(wished);
        if (why !== undefined) return fail(wished, why);
      }
      continue;
    }
    if (wished === 0) port.nodePort = room.next();
    else if (!had.has(wished) && !room.has(wished)) {
      const why = room.take(wished);
      if (why !== undefined) return fail(wished, why);
    }
    const key = `{${port.protocol} ${port.nodePort}}`;
    if (used.has(key)) return { spec, errors: [], failure: `duplicate nodePort: ${key}` };
    used.add(key);
  }
  let healthCheckNodePort = spec.healthCheckNodePort ?? 0;
  if (isHealthChecked(spec) && !(before !== undefined && isHealthChecked(before))) {
    const why = healthCheckNodePort === 0 ? undefined : room.take(healthCheckNodePort);
    if (why !== undefined) {
      const failure = `failed to allocate requested HealthCheck NodePort ${healthCheckNodePort}: ${why}`;
      return { spec, errors: [], failure };
    }
    if (healthCheckNodePort === 0) healthCheckNodePort = room.next();
  }
  return {
    spec: {
      ...spec,
      ...(spec.ports !== undefined && { ports }),
      ...(healthCheckNodePort !== 0 && { healthCheckNodePort }),
    },
    errors: [],
  };
}

/** A dry run accepts any number, and invents one if none is requested. */
function roomOf({ taken, random, dryRun }: PortRoom) {
  const own = new Set<number>();
  let highest: number | undefined;
  const add = (port: number) => {
    own.add(port);
    highest = Math.max(highest ?? port, port);
  };
  return {
    has: (port: number) => own.has(port),
    take(port: number): string | undefined {
      if (!dryRun && (port < range.first || port > range.last)) {
        return `provided port is not in the valid range. The range of valid ports is ${range.first}-${range.last}`;
      }
      if (taken.has(port) || own.has(port)) return 'provided port is already allocated';
      add(port);
      return undefined;
    },
    next(): number {
      if (dryRun) {
        const made = (highest ?? range.last + 1) + 1;
        add(made);
        return made;
      }
      const first = range.first + reserved;
      const count = range.last - first + 1;
      const start = Math.floor(random() * count);
      for (let step = 0; step < count; step++) {
        const port = first + ((start + step) % count);
        if (taken.has(port) || own.has(port)) continue;
        add(port);
        return port;
      }
      throw new Error('failed to allocate a nodePort: range is full');
    },
  };
}
