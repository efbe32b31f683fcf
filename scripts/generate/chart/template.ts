import { printYamlDocuments } from '@isthmus/machinery';

/** The kinds of places in an object where Helm puts a value. */
type Place =
  /** A text, quoted, or a part of one. */
  | 'text'
  /** A number or a boolean. */
  | 'plain'
  /** A field that is left out where the value is empty. */
  | 'field'
  /** Further entries of a map, or items of a list. */
  | 'more';

/** Objects whose values are, in places, expressions of Helm's template language. */
export interface ChartTemplate {
  /**
   * A text, or a part of one. It is one that YAML reads as a text without quotes where it is a
   * part.
   */
  text(expression: string): string;
  /** A number or a boolean. */
  plain(expression: string): never;
  /** The value of a field, whatever it is; the field is left out where it is empty. */
  field(expression: string): never;
  /** Entries to spread into a map. */
  entries(expression: string): Readonly<Record<string, string>>;
  /** An element of a list that stands for any number of them. */
  items(expression: string): never;
  /** The objects as documents of a template. */
  print(objects: readonly object[]): string;
}

/**
 * A template under construction. Its methods return marks for objects of any shape, and `print`
 * puts the expressions in their place. The root is `$` in expressions, so that they hold inside of
 * a `range` too.
 */
export function chartTemplate(): ChartTemplate {
  const marks: { readonly place: Place; readonly expression: string }[] = [];
  const mark = (place: Place, expression: string) => `⟦${marks.push({ place, expression }) - 1}⟧`;
  const at = (index: string | undefined) => {
    const found = marks[Number(index)];
    if (found === undefined) throw new Error(`no expression has the number ${index}`);
    return found;
  };

  /**
   * One line of YAML, which is more than one line of the template where an expression stands for a
   * field.
   */
  function line(text: string): string {
    const more = /^( *)(?:- )?'?⟦(\d+)⟧'?(?:: .*)?$/.exec(text);
    if (more !== null && at(more[2]).place === 'more') return lines(more[1] ?? '', at(more[2]).expression);
    const whole = /^(( *)(?:- )?(?:([^:]+): )?)'?⟦(\d+)⟧'?$/.exec(text);
    if (whole !== null) {
      const [, before = '', indentation = '', key, index] = whole;
      const { place, expression } = at(index);
      if (place === 'field') {
        const value = lines(`${indentation}  `, '.').trimStart();
        return `${indentation}{{- with ${expression} }}\n${indentation}${key}:\n${indentation}  ${value}\n${indentation}{{- end }}`;
      }
      return `${before}{{ ${expression}${place === 'text' ? ' | quote' : ''} }}`;
    }
    return text.replaceAll(/⟦(\d+)⟧/g, (_, index: string) => `{{ ${at(index).expression} }}`);
  }

  function lines(indentation: string, expression: string): string {
    const inner = `{{- toYaml . | nindent ${indentation.length} }}`;
    return expression === '.'
      ? `${indentation}${inner}`
      : `${indentation}{{- with ${expression} }}\n${indentation}${inner}\n${indentation}{{- end }}`;
  }

  return {
    text: (expression) => mark('text', expression),
    plain: (expression) => mark('plain', expression) as never,
    field: (expression) => mark('field', expression) as never,
    entries: (expression) => ({ [mark('more', expression)]: '' }),
    items: (expression) => mark('more', expression) as never,
    print: (objects) =>
      printYamlDocuments(objects)
        .split('\n')
        .map((one) => line(one))
        .join('\n'),
  };
}

/** A part of a template that is there on a condition. */
export function when(condition: string, text: string): string {
  return `{{- if ${condition} }}\n${text}{{- end }}\n`;
}
