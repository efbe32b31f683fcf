import type { RealCluster } from '@isthmus/testkit';

/** A controller of Antrea that runs. */
export interface AntreaController {
  /** Ends it, waited for. */
  stop(): Promise<void>;
}

/** Antrea's side of a swap: its definitions, and its controllers. */
export interface Antrea extends AsyncDisposable {
  /** For the report. */
  readonly what: string;
  /** The CustomResourceDefinitions of a role, as YAML. */
  definitions(role: 'leader' | 'member'): Promise<string>;
  /** What its controller may do, as YAML; empty where it has the rights of ours. */
  access(role: 'leader' | 'member'): Promise<string>;
  /** Starts a controller; resolves when it is Ready. */
  start(cluster: RealCluster, role: 'leader' | 'member'): Promise<AntreaController>;
}
