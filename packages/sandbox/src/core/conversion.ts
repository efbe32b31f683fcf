import type { ServedResource } from '../registry/served-resource.ts';
import type { Stored } from '../store/stored.ts';

/** Objects between the version they are stored in and the version of a request. */
export interface Conversion {
  /** Keeps the order. Errors: throws a Refusal if a webhook fails. */
  toRequested(resource: ServedResource, objects: readonly Stored[]): Promise<readonly Stored[]>;
  toStored(resource: ServedResource, object: Stored): Promise<Stored>;
  /**
   * The object in the version of the resource, without defaults or pruning, as an admission webhook
   * receives it. Errors: those of `toRequested`.
   */
  toVersion(resource: ServedResource, object: Stored): Promise<Stored>;
  /** Whether objects of the resource need no webhook: then the `now` functions can be used. */
  isLocal(resource: ServedResource): boolean;
  toRequestedNow(resource: ServedResource, object: Stored): Stored;
  toStoredNow(resource: ServedResource, object: Stored): Stored;
}
