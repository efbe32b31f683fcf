import { bytewise } from '../precedence.ts';
import type { ExportedMetadata, StringMap } from './exported-metadata.ts';
import type { ConflictReason } from '../conflict-reasons.ts';
import { conflictReasons } from '../conflict-reasons.ts';
import type { WholeValues } from './whole-fields.ts';
import { wholeFieldNames, wholeFieldRule } from './whole-fields.ts';

/**
 * The fields of an exported Service that are merged as a whole: the oldest export's value is used,
 * even if that export has none (docs/spec/mcs-api.md §3). Absent here means that the source has no
 * value, or none that is valid.
 */
export interface ServiceFields extends WholeValues, ExportedMetadata {
  readonly type: 'ClusterSetIP' | 'Headless';
  /** In a fixed order, without duplicates. */
  readonly ipFamilies?: readonly ('IPv4' | 'IPv6')[] | undefined;
}

/** How a field is compared between exports, and described in messages. */
export interface FieldRule {
  readonly reason: ConflictReason;
  readonly what: string;
  /** Exports agree if these are equal: absent is written as the default. */
  key(fields: ServiceFields): string;
  /** False if values are too long for a message. */
  readonly showsValue: boolean;
}

const ownRules: readonly FieldRule[] = [
  { reason: 'TypeConflict', what: 'The type', key: (fields) => fields.type, showsValue: true },
  {
    reason: 'AnnotationsConflict',
    what: 'The exported annotations',
    key: (fields) => mapKey(fields.exportedAnnotations),
    showsValue: false,
  },
  {
    reason: 'LabelsConflict',
    what: 'The exported labels',
    key: (fields) => mapKey(fields.exportedLabels),
    showsValue: false,
  },
  {
    // If the sets differ, some backends cannot be reached over one family; equal sets have no such
    // family.
    reason: 'IPFamilyConflict',
    what: 'Field ipFamilies',
    key: (fields) => (fields.ipFamilies ?? ['IPv4']).join(' and '),
    showsValue: true,
  },
];

/** All rules except that of the ports, in the order of the reasons. */
export const fieldRules: readonly FieldRule[] = [
  ...ownRules,
  ...wholeFieldNames.map((field): FieldRule => {
    const { conflict } = wholeFieldRule(field);
    return { ...conflict, key: (fields) => conflict.key(fields[field]), showsValue: true };
  }),
].toSorted((a, b) => conflictReasons.indexOf(a.reason) - conflictReasons.indexOf(b.reason));

function mapKey(map: StringMap | undefined): string {
  return JSON.stringify(Object.entries(map ?? {}).sort((a, b) => bytewise(a[0], b[0])));
}
