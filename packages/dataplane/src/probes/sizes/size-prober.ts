import type { Clock } from '@isthmus/machinery';
import { sleep } from '@isthmus/machinery';
import type { GatewayReport } from '../gateway-record.ts';
import type { Probe } from '../probe.ts';
import type { PathSize } from './path-size.ts';
import { afterSizeProbe, newPathSize, nextBytes } from './path-size.ts';

/** Finds gateways that answer small packets only. */
export interface SizeProber {
  /**
   * The largest packet that a gateway answers, by its key. Undefined: as large as the tunnel
   * carries, or it is not known.
   */
  carries(key: string): number | undefined;
  /** Runs until `signal` aborts. */
  run(signal: AbortSignal): Promise<void>;
}

export interface SizeProberOptions {
  /** The gateways that are probed now. Only those that answer small probes are probed here. */
  readonly gateways: () => readonly GatewayReport[];
  readonly probe: Probe;
  readonly clock: Clock;
  /** Called when {@link SizeProber.carries} of a gateway has changed. */
  readonly onChange: (report: GatewayReport, carries: number | undefined) => void;
}

const lookMs = 250;
const timeoutMs = 600;

export function createSizeProber({ gateways, probe, clock, onChange }: SizeProberOptions): SizeProber {
  /** The knowledge about each gateway that answers. */
  const paths = new Map<string, PathSize>();
  /** The keys of gateways whose last probe has not ended. */
  const waiting = new Set<string>();

  async function probeOne(report: GatewayReport, path: PathSize): Promise<void> {
    const { key, device, address, port } = report.gateway;
    waiting.add(key);
    const startedMs = clock.monotonic();
    const result = await probe({ device, address, port, bytes: nextBytes(path) }, timeoutMs);
    waiting.delete(key);
    const nowMs = clock.monotonic();
    if (paths.get(key) !== path) return;
    // It could not be sent, or the process was suspended meanwhile, and received no answers at all.
    const isUnknown = result.kind === 'impossible' || (result.kind === 'missed' && nowMs - startedMs > 2 * timeoutMs);
    const next = isUnknown
      ? { ...path, dueMs: nowMs + timeoutMs }
      : afterSizeProbe(path, result.kind === 'answered', nowMs);
    paths.set(key, next);
    if (next.carries !== path.carries) onChange(report, next.carries);
  }

  function look(): void {
    const alive = new Map(
      gateways().flatMap((one) => (one.state === 'alive' ? [[one.gateway.key, one] as const] : [])),
    );
    // A gateway that died is measured from the beginning when it returns.
    for (const key of paths.keys()) if (!alive.has(key)) paths.delete(key);
    for (const [key, report] of alive) {
      const { largest } = report.gateway;
      if (largest === undefined) continue;
      const known = paths.get(key);
      const path = known?.largest === largest ? known : newPathSize(largest, clock.monotonic());
      paths.set(key, path);
      if (path.dueMs <= clock.monotonic() && !waiting.has(key)) void probeOne(report, path);
    }
  }

  return {
    carries: (key) => paths.get(key)?.carries,
    async run(signal) {
      while (!signal.aborted) {
        look();
        await sleep(clock, lookMs, signal).catch(() => {});
      }
    },
  };
}
