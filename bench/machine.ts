import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';

/** The facts besides the code that a figure depends on. */
export interface MachineFacts {
  readonly cores: number;
  readonly cpu: string;
  readonly memoryGiB: number;
  readonly node: string;
  /**
   * One-minute load average when the run began: other work on the machine makes every time longer.
   */
  readonly loadAtStart: number;
}

export function machineFacts(): MachineFacts {
  return {
    cores: availableParallelism(),
    cpu: cpus()[0]?.model ?? 'unknown',
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    loadAtStart: currentLoad(),
  };
}

/** One-minute load average. */
export function currentLoad(): number {
  return Math.round((loadavg()[0] ?? 0) * 100) / 100;
}

/** The use of a process so far. */
export interface ProcessUsage {
  /** Seconds of processor time, user and system. */
  readonly cpuSeconds: number;
  readonly residentMB: number;
  readonly peakResidentMB: number;
}

/** Reads /proc: Linux only. Errors: the process is gone. */
export function usageOf(pid: number): ProcessUsage {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in parentheses may hold anything; fields are counted after it (proc_pid_stat(5)).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const megabytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) / 1024;
  return {
    cpuSeconds: (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / ticksPerSecond,
    residentMB: megabytes('VmRSS'),
    peakResidentMB: megabytes('VmHWM'),
  };
}

/** USER_HZ, which Linux fixes at 100 for what it shows to programs. */
const ticksPerSecond = 100;
