/**
 * How a status is defined: which conditions and Events an object of a kind carries, which reasons
 * they may give, what each reason means and what to do about it. The types that decisions may
 * return, the troubleshooting page and the tables of the reference pages derive from it.
 */
export type ConditionStatus = 'True' | 'False' | 'Unknown';

export interface ConditionDefinition {
  readonly meaning: string;
  /**
   * The status of a condition that requires no action; `absent` for a condition that reports a
   * problem by its presence.
   */
  readonly wanted: 'True' | 'False' | 'absent';
  /** The statuses that are written without a reason, as Antrea writes them. */
  readonly withoutReason?: readonly ConditionStatus[];
  /** The statuses whose reason may be several, joined by commas (MCS API). */
  readonly joined?: readonly ConditionStatus[];
  /**
   * The original source of the reason, if the writer passes on the reasons of another component.
   * Any reason may appear.
   */
  readonly mirrors?: string;
}

/**
 * A place for a reason: `Ready=False`, a condition with its status; or as an Event about the
 * object, or about the ClusterSet.
 */
export type Where<ConditionType extends string> =
  | `${ConditionType}=${ConditionStatus}`
  | 'Event'
  | 'Event on the ClusterSet';

/**
 * How bad a reason is: `ok`, all is well; `wait`, it passes by itself in most cases; `warning`, it
 * works, but not as asked for; `error`, it does not work until someone acts.
 */
export type Severity = 'ok' | 'wait' | 'warning' | 'error';

export type ReasonDefinition<ConditionType extends string = string> = {
  /** The places that may report the reason. No other place may report it. */
  readonly on: readonly Where<ConditionType>[];
  /** The state that the reason means, in a sentence or two. */
  readonly meaning: string;
} & (
  | { readonly severity: 'ok'; readonly cure?: undefined }
  /** The next step for the reader of the reason. */
  | { readonly severity: Exclude<Severity, 'ok'>; readonly cure: string }
);

export interface StatusDefinition<
  Conditions extends Readonly<Record<string, ConditionDefinition>> = Readonly<Record<string, ConditionDefinition>>,
  Reasons extends Readonly<Record<string, ReasonDefinition>> = Readonly<Record<string, ReasonDefinition>>,
> {
  readonly kind: string;
  /**
   * The owner of the object, if a leader's and a member's differ: heads the section of the page.
   */
  readonly title: string;
  readonly writer: 'leader' | 'member' | 'leader or member';
  /**
   * Keys are condition types, in the order in which they are written; `clusterStatuses[].Ready` is
   * the one of an entry of that list.
   */
  readonly conditions: Conditions;
  readonly reasons: Reasons;
}

/**
 * Defines what objects of one kind report. Returns its argument: the types of reasons and
 * conditions are those written there.
 */
export function defineStatus<
  const Conditions extends Readonly<Record<string, ConditionDefinition>>,
  const Reasons extends Readonly<Record<string, ReasonDefinition<keyof Conditions & string>>>,
>(definition: StatusDefinition<Conditions, Reasons>): StatusDefinition<Conditions, Reasons> {
  return definition;
}

/** The condition types of a definition, as they are keyed there. */
export type ConditionKey<D extends StatusDefinition> = keyof D['conditions'] & string;

/** The reasons that a definition lists for one place, such as `Ready=False` or `Event`. */
export type ReasonOn<D extends StatusDefinition, Place extends string> = {
  [R in keyof D['reasons']]: Place extends D['reasons'][R]['on'][number] ? R : never;
}[keyof D['reasons']] &
  string;

/**
 * The reasons that a definition lists for Events, about the object itself or about the ClusterSet.
 */
export type EventReason<D extends StatusDefinition> = ReasonOn<D, 'Event'> | ReasonOn<D, 'Event on the ClusterSet'>;

declare const passedOn: unique symbol;
/** A reason in the words of another cluster, see {@link mirrored}. */
export type MirroredReason = string & { readonly [passedOn]: true };

/** A reason that another cluster gave, to be passed on unchanged. Its text is not defined here. */
export function mirrored(reason: string): MirroredReason {
  return reason as MirroredReason;
}

/**
 * The verdict of a decision on one condition: a status with a reason that the definition lists for
 * it. A status without a listed reason does not compile.
 */
export type Verdict<D extends StatusDefinition, Type extends ConditionKey<D>> = {
  [S in ConditionStatus]: ReasonedVerdict<D, Type, S> | BareVerdict<D, Type, S>;
}[ConditionStatus];

type ReasonedVerdict<D extends StatusDefinition, Type extends ConditionKey<D>, S extends ConditionStatus> = [
  ReasonOn<D, `${Type}=${S}`>,
] extends [never]
  ? never
  : {
      readonly status: S;
      readonly reason: Spoken<ReasonOn<D, `${Type}=${S}`>, D['conditions'][Type], S>;
      /** One or two sentences: what is wrong, what to do. */
      readonly message: string;
    };

type Spoken<R extends string, C extends ConditionDefinition, S extends ConditionStatus> =
  | R
  | (C extends { readonly joined: readonly (infer J)[] } ? (S extends J ? `${R},${string}` : never) : never)
  | (C extends { readonly mirrors: string } ? MirroredReason : never);

type BareVerdict<
  D extends StatusDefinition,
  Type extends ConditionKey<D>,
  S extends ConditionStatus,
> = D['conditions'][Type] extends { readonly withoutReason: readonly (infer B)[] }
  ? S extends B
    ? { readonly status: S; readonly reason?: undefined; readonly message?: string | undefined }
    : never
  : never;

/**
 * The condition type that a key of a definition stands for: `clusterStatuses[].Ready` is `Ready`.
 */
export function conditionTypeOf(key: string): string {
  return key.slice(key.lastIndexOf('.') + 1);
}

/** The reasons that a definition lists for one place, in its order. */
export function reasonsOn<D extends StatusDefinition, Place extends Where<ConditionKey<D>>>(
  definition: D,
  place: Place,
): readonly ReasonOn<D, Place>[] {
  return Object.entries(definition.reasons)
    .filter(([, { on }]) => (on as readonly string[]).includes(place))
    .map(([reason]) => reason as ReasonOn<D, Place>);
}

/** The type of the Events that give a reason of this severity. */
export function eventTypeOf(severity: Severity): 'Normal' | 'Warning' {
  return severity === 'warning' || severity === 'error' ? 'Warning' : 'Normal';
}
