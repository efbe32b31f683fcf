import type { ColumnDefinition, TableColumns } from '../../registry/table-columns.ts';
import type { Stored } from '../../store/stored.ts';

/** The type of a column. `wide` ones are shown only with `-o wide`. */
type ColumnForm = 'name' | 'string' | 'integer' | 'boolean' | 'date' | 'wide' | 'wide name';

/**
 * Columns by their titles, in their order. `Shape` is the part of an object that the cells read;
 * the object has been decoded into its type.
 */
export function defineColumns<Shape>(
  forms: Readonly<Record<string, ColumnForm>>,
  cells: (object: Stored & Shape, now: number) => readonly unknown[],
  conditions?: (object: Stored & Shape) => readonly object[] | undefined,
): TableColumns {
  return {
    definitions: Object.entries(forms).map(([name, form]) => definitionOf(name, form)),
    cells: (object, now) => cells(object as Stored & Shape, now),
    ...(conditions !== undefined && { conditions: (object: Stored) => conditions(object as Stored & Shape) }),
  };
}

function definitionOf(name: string, form: ColumnForm): ColumnDefinition {
  return {
    name,
    type: form === 'integer' || form === 'boolean' || form === 'date' ? form : 'string',
    format: form === 'name' || form === 'wide name' ? 'name' : '',
    description: '',
    priority: form.startsWith('wide') ? 1 : 0,
  };
}
