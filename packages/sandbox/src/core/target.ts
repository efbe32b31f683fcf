import type { UserInfo } from '../request/user-info.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import type { FieldValidation } from '../options/write-options.ts';

/** The object or the collection of a request, and its user. */
export interface Target {
  readonly resource: ServedResource;
  readonly namespace: string | undefined;
  /** Empty for a collection. */
  readonly name: string;
  readonly subresource: string | undefined;
  readonly user: UserInfo;
}

/** A {@link Target} that is written. */
export interface WriteTarget extends Target {
  readonly dryRun: boolean;
  /** The treatment of unknown and repeated fields; absent: they are ignored. */
  readonly fieldValidation?: FieldValidation | undefined;
  /** The field manager of the write. */
  readonly fieldManager: string;
  /** It is deleted with others, by a selector: its name is not in the path. */
  readonly ofCollection?: boolean | undefined;
  /** The write comes through the object's Scale: that is how its owner is recorded. */
  readonly scales?: true | undefined;
  /** The field manager in reviews of admission webhooks: only if the request names it. */
  readonly namedFieldManager?: string | undefined;
  /** Texts for `Warning` headers; handlers add to it. */
  readonly warnings: string[];
}
