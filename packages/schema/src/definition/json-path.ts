/**
 * The JSONPath of printer columns, as far as columns use it: `.a.b`, `['a']`, `\.` in a name,
 * `[0]`, `[-1]`, `[*]`, `..a` is not among them, and filters `[?(@.a=="b")]` that compare one field
 * with one value. What is absent yields nothing.
 */
export function readPath(text: string): (value: unknown) => readonly unknown[] {
  const steps = parse(text);
  return (value) => steps.reduce((values: readonly unknown[], step) => values.flatMap(step), [value]);
}

type Step = (value: unknown) => readonly unknown[];

function parse(text: string): readonly Step[] {
  const steps: Step[] = [];
  let rest = text;
  while (rest !== '') {
    const [taken, step] = next(rest);
    if (step !== undefined) steps.push(step);
    rest = rest.slice(taken);
  }
  return steps;
}

function next(rest: string): readonly [taken: number, step: Step | undefined] {
  const name = /^\.((?:\\.|[^.[\]\\])+)/.exec(rest);
  if (name !== null)
    return [name[0].length, name[1] === '*' ? all : member((name[1] ?? '').replaceAll(/\\(.)/g, '$1'))];
  const quoted = /^\[['"]([^'"]*)['"]\]/.exec(rest);
  if (quoted !== null) return [quoted[0].length, member(quoted[1] ?? '')];
  const index = /^\[(-?\d+)\]/.exec(rest);
  if (index !== null) return [index[0].length, item(Number(index[1]))];
  if (rest.startsWith('[*]')) return [3, all];
  const filter =
    /^\[\?\(\s*@((?:\.(?:\\.|[^.[\]\\\s=!<>])+)+)\s*(==|!=)\s*(?:"([^"]*)"|'([^']*)'|([^\s)]+))\s*\)\]/.exec(rest);
  if (filter !== null) {
    const [whole, path = '', operator, double, single, bare] = filter;
    const read = readPath(path);
    const wanted = double ?? single ?? bare ?? '';
    const holds = (value: unknown) => read(value).some((one) => String(one) === wanted) === (operator === '==');
    return [whole.length, (value) => (Array.isArray(value) ? value.filter(holds) : [])];
  }
  return rest === '.' ? [1, undefined] : [rest.length, () => []];
}

const all: Step = (value) => (typeof value === 'object' && value !== null ? Object.values(value) : []);

function member(name: string): Step {
  return (value) => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return [];
    return [(value as Readonly<Record<string, unknown>>)[name]];
  };
}

function item(index: number): Step {
  return (value) => {
    if (!Array.isArray(value)) return [];
    const at = index < 0 ? value.length + index : index;
    return at in value ? [value[at]] : [];
  };
}
