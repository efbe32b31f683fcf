import type { Json } from '@isthmus/schema';
import { same } from '../compare/schema-change.ts';
import type { CrdRuleId, CrdSeverity } from '../crd-rule.ts';
import type { DefinitionView } from '../definition-view.ts';

/** A change of the CRD as a whole; `pointer` is within the CRD. */
export interface DefinitionChange {
  readonly rule: CrdRuleId;
  readonly severity?: CrdSeverity | undefined;
  readonly version?: string | undefined;
  readonly pointer: string;
  /** The field of objects as users write it, if the change is about one. */
  readonly field?: string | undefined;
  readonly old?: Json | undefined;
  readonly new?: Json | undefined;
  readonly message: string;
  readonly hint: string;
}

/** The path of a version, as a JSON pointer within the CRD. */
export function pointerOf(view: DefinitionView, version: string): string {
  return `/spec/versions/${[...view.versions.keys()].indexOf(version)}`;
}

/** The keys in which two objects differ, sorted. */
export function differingKeys(a: object, b: object): readonly string[] {
  const [had, has] = [a, b].map((one) => one as Readonly<Record<string, unknown>>);
  return [...new Set([...Object.keys(had ?? {}), ...Object.keys(has ?? {})])]
    .filter((key) => !same(had?.[key], has?.[key]))
    .toSorted();
}
