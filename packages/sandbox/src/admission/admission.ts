import type { Core, WriteTarget } from '../server/core.ts';
import type { Stored } from '../store/stored.ts';

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** A write on its way into the store. */
export interface AdmissionRequest {
  readonly operation: Operation;
  readonly target: WriteTarget;
  /** Absent for DELETE. */
  readonly object?: Stored | undefined;
  /** Absent for CREATE. */
  readonly before?: Stored | undefined;
  /** The options of the request, as JSON of `CreateOptions`, `UpdateOptions`, `PatchOptions` or `DeleteOptions`. */
  readonly options: object;
}

/** What stands between a decoded object and its validation, and between that and the store. Both throw a Refusal. */
export interface Admission {
  /** The object as the mutating plugins and webhooks leave it. */
  mutate(core: Core, request: AdmissionRequest): Promise<Stored | undefined>;
  validate(core: Core, request: AdmissionRequest): Promise<void>;
}
