import type { ControllerConfig, RejectedConfig } from '@isthmus/controlplane';
import type { Log } from '@isthmus/kube';
import type { Clock } from '@isthmus/machinery';
import { equal, errorMessage, sleep } from '@isthmus/machinery';
import type { ReadConfig } from '../config/read-config-file.ts';

/** A kubelet writes a changed ConfigMap into a Pod about once a minute. */
const lookAgainMs = 10_000;

/** Settings that a process uses before it begins to work. */
const ofTheProcess = ['health', 'metrics', 'webhook'] as const satisfies readonly (keyof ControllerConfig)[];

/** The configuration file of a running process. */
export interface FollowedConfig {
  /** As it was last read. What only a new process can change stays as it was at the start. */
  readonly config: ControllerConfig;
  /** The problems of the file since it was last read. */
  readonly rejected: RejectedConfig;
  /** Reads the file again. Whether anything that controllers read has changed. */
  look(): Promise<boolean>;
  /**
   * Resolves when the file has changed, and never where there is none. Errors: the reason of
   * `signal`.
   */
  whenChanged(signal: AbortSignal): Promise<void>;
}

export interface FollowOptions {
  /** As it was read at the start. */
  readonly config: ControllerConfig;
  /** Reads the file; undefined: there is none. */
  readonly read: (() => Promise<ReadConfig>) | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Follows a configuration file. One that cannot be read, or is not valid, changes nothing: that is
 * logged once and is in `rejected`, and the former one stays in force.
 */
export function followConfig({ config: first, read, clock, log }: FollowOptions): FollowedConfig {
  let config = first;
  let told = '';
  let why: string | undefined;
  const listeners = new Set<() => void>();
  const reject = (next: string | undefined) => {
    if (next === why) return;
    why = next;
    listeners.forEach((listener) => listener());
  };
  const tell = (text: string, message: string, fields: Readonly<Record<string, unknown>>) => {
    if (told !== text) log.warn(message, fields);
    told = text;
  };
  const look = async (): Promise<boolean> => {
    if (read === undefined) return false;
    let found: ReadConfig;
    try {
      found = await read();
    } catch (error) {
      const problem = errorMessage(error);
      reject(problem);
      tell(problem, 'the changed configuration file is not used; the previous configuration stays in effect', {
        why: problem,
      });
      return false;
    }
    reject(undefined);
    const fixed = ofTheProcess.filter((field) => !equal(found.config[field], first[field]));
    if (fixed.length === 0) told = '';
    else tell(fixed.join(), 'changed settings take effect when the process restarts', { settings: fixed });
    const next: ControllerConfig = {
      ...found.config,
      health: first.health,
      metrics: first.metrics,
      webhook: first.webhook,
    };
    const fields = Object.keys(next) as readonly (keyof ControllerConfig)[];
    const changed = fields.filter((field) => !equal(next[field], config[field]));
    if (changed.length === 0) return false;
    config = next;
    log.info('the configuration file has changed; the controllers start again with it', { settings: changed });
    for (const warning of found.warnings) log.warn(warning);
    return true;
  };
  return {
    get config() {
      return config;
    },
    rejected: {
      get why() {
        return why;
      },
      onChange(listener) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
    look,
    async whenChanged(signal) {
      do await sleep(clock, lookAgainMs, signal);
      while (!(await look()));
    },
  };
}
