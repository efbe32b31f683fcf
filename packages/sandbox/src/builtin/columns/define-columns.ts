import type { ColumnDefinition, TableColumns } from '../../registry/table-columns.ts';
import type { Stored } from '../../store/stored.ts';
import { ageOf } from '../name-and-age.ts';
import { valueAt } from '../selectable-fields.ts';

/** The type of a column. `wide` ones are shown only with `-o wide`. */
type ColumnForm = 'name' | 'string' | 'integer' | 'boolean' | 'date' | 'wide' | 'wide name';

/**
 * A column: its type, and its cells, as the path of a value in the object (`spec.nodeName`) or as a
 * function. `otherwise` is shown for an absent value; by default, Go's zero value.
 */
export type Column<Shape = unknown> = readonly [
  form: ColumnForm,
  cell: string | ((object: Stored & Shape, now: number) => unknown),
  otherwise?: unknown,
];

export const nameColumn: Column = ['name', 'metadata.name'];
export const ageColumn: Column = ['string', ageOf];

/**
 * Columns by their titles, in their order. `Shape` is the part of an object that the functions
 * read; the object has been decoded into its type.
 */
export function defineColumns<Shape = unknown>(
  columns: Readonly<Record<string, Column<Shape>>>,
  conditions?: (object: Stored & Shape) => readonly object[] | undefined,
): TableColumns {
  const cells = Object.values(columns).map(cellOf);
  return {
    definitions: Object.entries(columns).map(([title, [form]]) => definitionOf(title, form)),
    cells: (object, now) => cells.map((cell) => cell(object as Stored & Shape, now)),
    ...(conditions !== undefined && { conditions: (object: Stored) => conditions(object as Stored & Shape) }),
  };
}

function cellOf<Shape>([form, cell, otherwise = zeroOf(form)]: Column<Shape>) {
  return typeof cell === 'string' ? (object: Stored & Shape) => valueAt(object, cell) ?? otherwise : cell;
}

function zeroOf(form: ColumnForm): unknown {
  return form === 'integer' ? 0 : form === 'boolean' ? false : '';
}

function definitionOf(title: string, form: ColumnForm): ColumnDefinition {
  return {
    name: title,
    type: form === 'integer' || form === 'boolean' || form === 'date' ? form : 'string',
    format: form === 'name' || form === 'wide name' ? 'name' : '',
    description: '',
    priority: form.startsWith('wide') ? 1 : 0,
  };
}
