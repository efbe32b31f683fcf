import type { Stored } from '../store/stored.ts';

/** One column of `kubectl get` (metav1.TableColumnDefinition). */
export interface ColumnDefinition {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format: string;
  readonly description: string;
  /** 0: always shown; above: with `-o wide`. */
  readonly priority: number;
}

/** The columns of a resource, and the cells of an object in them. */
export interface TableColumns {
  readonly definitions: readonly ColumnDefinition[];
  /** `now`: milliseconds since the epoch, for ages. */
  cells(object: Stored, now: number): readonly unknown[];
  /** The conditions of a row: `Completed` for a finished Pod. */
  readonly conditions?: ((object: Stored) => readonly object[] | undefined) | undefined;
}
