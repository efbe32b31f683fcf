import type { Problem } from '../read/problem.ts';

/** A metric as a scrape shows it. */
export interface MetricFamily {
  readonly name: string;
  /** The text after HELP, unescaped; absent if there is no HELP. */
  readonly help?: string | undefined;
  /** `untyped` where no TYPE is reported. */
  readonly type: MetricType;
  readonly samples: number;
}

const types = ['counter', 'gauge', 'histogram', 'summary', 'untyped'] as const;
export type MetricType = (typeof types)[number];

/** The content of a text, and all its errors, by lines. */
export interface MetricsText {
  readonly families: ReadonlyMap<string, MetricFamily>;
  readonly problems: readonly Problem[];
}

interface Building {
  help?: string;
  type?: MetricType;
  samples: number;
}

/**
 * Reads the text format of Prometheus (exposition format 0.0.4), strictly: what the format does not
 * allow is reported with its line and left out. Never throws. Samples of a histogram or summary
 * (`_bucket`, `_sum`, `_count`) belong to their family.
 */
export function parseMetrics(text: string, source: string): MetricsText {
  const families = new Map<string, Building>();
  const problems: Problem[] = [];
  const familyOf = (name: string): Building => {
    const found = families.get(name) ?? { samples: 0 };
    families.set(name, found);
    return found;
  };
  for (const [at, line] of text.split('\n').entries()) {
    const problem = readLine(line.replace(/\r$/, ''), families, familyOf);
    if (problem !== undefined) problems.push({ source, line: at + 1, path: '', message: problem });
  }
  const entries = [...families].map(([name, { help, type = 'untyped', samples }]) => {
    const family: MetricFamily = { name, type, samples, ...(help === undefined ? {} : { help }) };
    return [name, family] as const;
  });
  return { families: new Map(entries.toSorted(([a], [b]) => (a < b ? -1 : 1))), problems };
}

const metricName = '[a-zA-Z_:][a-zA-Z0-9_:]*';

function readLine(
  line: string,
  families: ReadonlyMap<string, Building>,
  familyOf: (name: string) => Building,
): string | undefined {
  const bare = line.trim();
  if (bare === '') return undefined;
  if (bare.startsWith('#')) return readComment(bare, familyOf);
  const [, name, rest] = new RegExp(`^(${metricName})\\s*(.*)$`).exec(bare) ?? [];
  if (name === undefined || rest === undefined) return `not a sample: expected a metric name, not ${quoted(bare)}`;
  const after = rest.startsWith('{') ? afterLabels(rest) : rest;
  if (after === undefined) return `the labels of ${name} are not valid: expected {name="value",…}`;
  const [value = '', time, ...more] = after.trim().split(/\s+/);
  if (!isNumber(value)) return `the value of ${name} is not a number: ${quoted(value)}`;
  if (more.length > 0 || (time !== undefined && !/^-?\d+$/.test(time)))
    return `after the value of ${name} expected a timestamp in milliseconds or nothing, not ${quoted(after.trim().slice(value.length + 1))}`;
  const family = [name, name.replace(/_(?:bucket|sum|count)$/, '')].find((one) => hasParts(one, name, families));
  familyOf(family ?? name).samples++;
  return undefined;
}

/** Whether a sample of this name belongs to the family. */
function hasParts(family: string, sample: string, families: ReadonlyMap<string, Building>): boolean {
  const type = families.get(family)?.type;
  if (family === sample) return type !== undefined;
  return type === 'histogram' || (type === 'summary' && !sample.endsWith('_bucket'));
}

function readComment(line: string, familyOf: (name: string) => Building): string | undefined {
  const [, keyword, name, rest = ''] = /^#\s+(HELP|TYPE)\s+(\S+)(?:\s(.*))?$/.exec(line) ?? [];
  if (keyword === undefined || name === undefined)
    return /^#\s+(?:HELP|TYPE)\b/.test(line) ? `${line.slice(2, 6)} without the name of a metric` : undefined;
  if (!new RegExp(`^${metricName}$`).test(name)) return `${quoted(name)} is not a valid metric name`;
  const family = familyOf(name);
  if (keyword === 'HELP') {
    if (family.help !== undefined) return `a second HELP of ${name}`;
    family.help = rest.replaceAll(/\\([\\n])/g, (_, escaped) => (escaped === 'n' ? '\n' : '\\'));
    return undefined;
  }
  const type = types.find((one) => one === rest.trim());
  if (type === undefined) return `the TYPE of ${name} is ${quoted(rest.trim())}; expected ${types.join(', ')}`;
  if (family.type !== undefined) return `a second TYPE of ${name}`;
  if (family.samples > 0) return `the TYPE of ${name} comes after its samples`;
  family.type = type;
  return undefined;
}

/** The text after the closing brace; undefined if the labels do not have the form of the format. */
function afterLabels(text: string): string | undefined {
  const label = /\s*[a-zA-Z_][a-zA-Z0-9_]*\s*=\s*"(?:[^"\\\n]|\\[\\"n])*"\s*(,?)/y;
  let at = 1;
  for (let more = true; more;) {
    label.lastIndex = at;
    const found = label.exec(text);
    if (found === null) break;
    at = label.lastIndex;
    more = found[1] === ',';
  }
  const [end] = /^\s*\}/.exec(text.slice(at)) ?? [];
  return end === undefined ? undefined : text.slice(at + end.length);
}

function isNumber(text: string): boolean {
  return /^(?:[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|[+-]?Inf|NaN)$/.test(text);
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
