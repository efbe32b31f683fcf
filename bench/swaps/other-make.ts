import type { RealCluster } from '@isthmus/testkit';

/** A controller of another make that runs. */
export interface OtherController {
  /** Ends it, waited for. */
  stop(): Promise<void>;
  /** Ends it in the middle of whatever it does, by SIGKILL where it is a process; waited for. */
  kill(): Promise<void>;
}

/**
 * The other side of a swap, Antrea or another version of Isthmus: its definitions, and its
 * controllers.
 */
export interface OtherMake extends AsyncDisposable {
  /** As the plan and the table name it. */
  readonly name: string;
  /** For the report: what runs. */
  readonly what: string;
  /** Whether its objects cannot exist beside ours, so that `isthmus handover` comes before it. */
  readonly needsHandover: boolean;
  /**
   * Whether, after each swap, Services come and go and the new controller is killed; otherwise only
   * what changes during a swap is watched. A member of Antrea that was killed does not export what
   * changed meanwhile within a minute, and misses withdrawals while it connects again.
   */
  readonly goesOn: boolean;
  /** The CustomResourceDefinitions of a role, as YAML. */
  definitions(role: 'leader' | 'member'): Promise<string>;
  /** The permissions of its controller, as YAML; empty if it has those of ours. */
  access(role: 'leader' | 'member'): Promise<string>;
  /** Starts a controller; resolves when it is Ready. */
  start(cluster: RealCluster, role: 'leader' | 'member'): Promise<OtherController>;
}
