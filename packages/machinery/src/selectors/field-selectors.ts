/** One condition on one field, by its path: `metadata.name`, `metadata.namespace`. */
export interface FieldRequirement {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/** All requirements hold. Empty: everything matches. */
export type FieldSelector = readonly FieldRequirement[];

/**
 * The selector that `text` writes: terms with `=`, `==` or `!=`, joined by commas; `\` escapes `\`,
 * `,` and `=` in a value.
 *
 * Errors: throws with the API server's text where a term has no operator or a value is wrongly
 * escaped. The server checks whether it knows the fields.
 */
export function parseFieldSelector(text: string): FieldSelector {
  const terms = text.match(/(?:\\[\s\S]|\\$|[^,\\])+/g) ?? [];
  return terms.map((term) => {
    const found = /^(.*?)(!=|==|=)(.*)$/s.exec(term);
    if (found === null) throw new Error(`invalid selector: '${text}'; can't understand '${term}'`);
    const [, field = '', operator = '', value = ''] = found;
    return { field, operator: operator === '!=' ? '!=' : '=', value: unescaped(value) };
  });
}

/** Whether an object with these fields is selected; a field that is not there counts as empty. */
export function matchesFields(selector: FieldSelector, fields: Readonly<Record<string, string>>): boolean {
  return selector.every(({ field, operator, value }) => {
    const have = Object.hasOwn(fields, field) ? fields[field] : '';
    return (have === value) === (operator === '=');
  });
}

function unescaped(value: string): string {
  let text = '';
  for (let i = 0; i < value.length; i++) {
    const char = value.charAt(i);
    if (char === ',' || char === '=')
      throw new Error(`invalid field selector: unescaped character in value: ${char.charCodeAt(0)}`);
    if (char !== '\\') {
      text += char;
      continue;
    }
    const escaped = value.charAt(++i);
    if (escaped === '' || !'\\,='.includes(escaped)) {
      throw new Error(`invalid field selector: invalid escape sequence: \\${escaped}`);
    }
    text += escaped;
  }
  return text;
}
