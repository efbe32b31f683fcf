import type { Clock, FieldSets, Random } from '@isthmus/machinery';
import type { Authorizer } from '../auth/authorizer.ts';
import type { Guard } from '../auth/escalation.ts';
import type { Admission } from '../admission/admission.ts';
import type { Conversion } from '../crd/conversion.ts';
import type { Registry } from '../registry/registry.ts';
import type { Store } from '../store/store.ts';
import type { StrategyContext } from '../strategy/strategy.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import type { FieldValidation } from '../rest/write-options.ts';
import type { UserInfo } from '../auth/user-info.ts';

/** What every handler works on. */
export interface Core {
  readonly store: Store;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly random: Random;
  readonly context: StrategyContext;
  readonly authorizer: Authorizer;
  readonly guard: Guard;
  readonly admission: Admission;
  readonly conversion: Conversion;
  readonly fieldSets: FieldSets;
}

/** Which object, or which collection, a request is about, and for whom. */
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
  /** What becomes of unknown and repeated fields; absent: nothing. */
  readonly fieldValidation?: FieldValidation | undefined;
  /** Who will own the fields. */
  readonly fieldManager: string;
  /** It is deleted with others, by a selector: its name is not in the path. */
  readonly ofCollection?: boolean | undefined;
  /** The write comes through the object's Scale: that is how its owner is recorded. */
  readonly scales?: true | undefined;
  /** The field manager as admission webhooks are told of it: only where the request names it. */
  readonly namedFieldManager?: string | undefined;
  /** Texts for `Warning` headers; handlers add to it. */
  readonly warnings: string[];
}
