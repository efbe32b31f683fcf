import { anyCharacter } from '@isthmus/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { problemLine } from '../read/read-file.ts';
import { policy } from '../policy/policy.ts';
import { shippedPolicies } from '../policy/shipped/shipped-policies.ts';
import { parseVersion } from '../version/parse-version.ts';
import type { MetricsContext } from './metric-findings.ts';
import { metricFindings } from './metric-findings.ts';
import { parseMetrics } from './metrics-text.ts';

const policies = shippedPolicies();

const scrape = `# HELP antrea_agent_up [STABLE] Whether\\nit is \\\\up.
# TYPE antrea_agent_up gauge
antrea_agent_up{node="a\\"b",zone="c}d",} 1 1732180000000
# a comment
# TYPE antrea_took histogram
antrea_took_bucket{le="+Inf"} 3
antrea_took_sum 0.5e-3
antrea_took_count 3
antrea_odd NaN
`;

describe('the text of metrics', () => {
  it('is read by families, with help, type and samples', () => {
    const { families, problems } = parseMetrics(scrape, 'm.txt');
    expect(problems).toEqual([]);
    expect([...families.values()]).toEqual([
      { name: 'antrea_agent_up', help: '[STABLE] Whether\nit is \\up.', type: 'gauge', samples: 1 },
      { name: 'antrea_odd', type: 'untyped', samples: 1 },
      { name: 'antrea_took', type: 'histogram', samples: 3 },
    ]);
  });

  it.each([
    ['9lives 1', 'not a sample: expected a metric name, not "9lives 1"'],
    ['a{b=1} 1', 'the labels of a are not valid: expected {name="value",…}'],
    ['a{b="1" c="2"} 1', 'the labels of a are not valid: expected {name="value",…}'],
    ['a one', 'the value of a is not a number: "one"'],
    ['a', 'the value of a is not a number: ""'],
    ['a 1 soon', 'after the value of a expected a timestamp in milliseconds or nothing, not "soon"'],
    ['# TYPE a speed', 'the TYPE of a is "speed"; expected counter, gauge, histogram, summary, untyped'],
    ['a 1\n# TYPE a gauge', 'the TYPE of a comes after its samples'],
    ['# TYPE a gauge\n# TYPE a gauge', 'a second TYPE of a'],
    ['# HELP a b\n# HELP a c', 'a second HELP of a'],
    ['# HELP', 'HELP without the name of a metric'],
    ['# TYPE a-b gauge', '"a-b" is not a valid metric name'],
  ])('is refused with its line: %j', (text, message) => {
    const line = text.split('\n').length;
    expect(parseMetrics(text, 'm.txt').problems.map(problemLine)).toEqual([`m.txt:${line}: ${message}`]);
  });

  it('never throws, whatever it is, nor for one character of a good text', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter(), maxLength: 300 }), (text) =>
        parseMetrics(text, 'm').problems.every(({ line }) => line > 0),
      ),
    );
    fc.assert(
      fc.property(fc.nat(scrape.length - 1), fc.string({ maxLength: 1 }), (at, by) => {
        const { families, problems } = parseMetrics(scrape.slice(0, at) + by + scrape.slice(at + 1), 'm');
        return families.size >= 2 && problems.length <= 4;
      }),
    );
  });

  it('takes linear time for lines that nearly have labels', () => {
    const text = `a{${'b="c",'.repeat(20_000)} 1`;
    expect(parseMetrics(text, 'm').problems).toHaveLength(1);
  });
});

const metric = (help: string, type = 'counter', name = 'antrea_some_counter') =>
  `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${name}${type === 'histogram' ? '_count' : ''} 0\n`;

function reported(old: string, next: string, more: Partial<MetricsContext> = {}) {
  const [before, after] = [parseMetrics(old, 'old'), parseMetrics(next, 'new')];
  expect([...before.problems, ...after.problems]).toEqual([]);
  return metricFindings(before.families, after.families, { policies, ...more }).map(({ severity, why }) => [
    severity,
    why,
  ]);
}

const plain = metric('this counts things');
const deprecated = metric('(Deprecated since 0.10.0) this counts things');

describe('a stable metric', () => {
  it('stays what it is', () => {
    expect(reported(plain, plain)).toEqual([]);
    expect(reported(plain, metric('it counts other things'))).toEqual([]);
  });

  it('that is gone, or has another name, without having been deprecated is blocked', () => {
    const why = 'antrea_some_counter is gone: it was stable, and never marked deprecated';
    expect(reported(plain, '')).toEqual([['block', why]]);
    expect(reported(plain, metric('this counts things', 'counter', 'antrea_other_counter'))).toEqual([['block', why]]);
  });

  it('does not change its type', () => {
    expect(reported(plain, metric('this counts things', 'gauge'))).toEqual([
      ['block', 'antrea_some_counter changes its type from counter to gauge'],
    ]);
  });

  it('does not become alpha', () => {
    expect(reported(metric('[STABLE] x'), metric('[ALPHA] x'))).toEqual([
      ['block', 'antrea_some_counter was stable and is alpha now'],
    ]);
  });

  it('is reported when it is newly deprecated', () => {
    expect(reported(plain, deprecated)).toEqual([
      ['info', 'antrea_some_counter is deprecated since 0.10.0 and will be removed'],
    ]);
    expect(reported(deprecated, deprecated)).toEqual([]);
  });

  it.each([
    ['v0.11.0', 'info'],
    ['v0.10.3', 'block'],
    ['v1.0.0', 'info'],
    ['v9.0.0', 'block'],
  ])('may go one minor after its deprecation: with %s %s', (version, severity) => {
    expect(reported(deprecated, '', { to: parseVersion(version) }).map(([first]) => first)).toEqual([severity]);
  });

  it('is counted over a change of major by the sequence of its own product', () => {
    const gone = (name: string) =>
      reported(metric('[STABLE] (Deprecated since 1.14.0) x', 'counter', name), '', { to: parseVersion('v2.0.0') })[0];
    expect(gone('antrea_some_counter')?.[0]).toBe('info');
    expect(gone('apiserver_some_counter')?.[1]).toContain('the deprecation period is unknown');
  });

  it('is deprecated by its mark, before or after that of its stability', () => {
    for (const help of [
      '[STABLE] (Deprecated since 0.10.0) x',
      '(Deprecated since v0.10) [STABLE] x',
      '(Deprecated since 0.10.0)',
    ])
      expect(reported(metric(help), '')).toEqual([['info', 'antrea_some_counter is gone after its deprecation']]);
    expect(reported(metric('was (Deprecated since 0.10.0)'), '')[0]?.[0]).toBe('block');
  });
});

describe('a metric of Kubernetes', () => {
  const gone = (stability: string, to?: string) =>
    reported(metric(`[${stability}] (Deprecated since 1.30.0) x`, 'counter', 'apiserver_x'), '', {
      ...(to !== undefined && { to: parseVersion(to) }),
    })[0];

  it.each([
    ['STABLE', '1.32.0', 'block', 'must be kept for 3 minors'],
    ['STABLE', '1.33.0', 'info', 'is hidden after its deprecation: --show-hidden-metrics-for-version still enables it'],
    ['STABLE', '1.34.2', 'info', 'is gone after its deprecation'],
    ['BETA', '1.30.4', 'warn', 'must be kept for 1 minor'],
    ['BETA', '1.31.0', 'info', 'is hidden after its deprecation'],
    ['BETA', '1.32.0', 'info', 'is gone after its deprecation'],
  ])('that is %s stays for its time, is hidden, and goes: not shown by %s: %s', (stability, to, severity, why) => {
    expect(gone(stability, to)).toEqual([severity, expect.stringContaining(why)]);
  });

  it('is a warning where it is unknown how long it has been deprecated', () => {
    expect(gone('STABLE')).toEqual([
      'warn',
      'apiserver_x is gone: it is deprecated since 1.30.0; whether it was kept for 3 minors is unknown',
    ]);
    expect(gone('BETA')?.[0]).toBe('info');
  });

  it('does not become beta when it was stable', () => {
    const name = 'apiserver_x';
    expect(reported(metric('[STABLE] x', 'gauge', name), metric('[BETA] x', 'gauge', name))).toEqual([
      ['block', 'apiserver_x was stable and is beta now'],
    ]);
  });
});

describe('a metric whose rule gives only its required fields', () => {
  const judged = (help: string, to: string, more: object = {}) => {
    const rule = { id: 'x', source: 'x', component: 'x', names: ['shop_*'], stability: 'help-text', ...more };
    const { value, errors } = policy.decode({
      apiVersion: 'upgrade.isthmus.dev/v1alpha1',
      kind: 'Policy',
      metadata: { name: 'shop' },
      spec: { product: 'Shop', metrics: [rule] },
    });
    expect(errors).toEqual([]);
    const gone = metric(help, 'counter', 'shop_orders_total');
    return reported(gone, '', { policies: [value], to: parseVersion(to) })[0]?.[0];
  };

  it.each([
    ['[STABLE] x', 'v2.0.0', 'block'],
    ['[STABLE] (Deprecated since 1.4.0) x', 'v1.4.3', 'block'],
    ['[STABLE] (Deprecated since 1.4.0) x', 'v1.5.0', 'info'],
    ['[BETA] (Deprecated since 1.4.0) x', 'v1.4.3', 'warn'],
    ['[BETA] (Deprecated since 1.4.0) x', 'v1.5.0', 'info'],
    ['[ALPHA] x', 'v1.4.3', undefined],
  ])('is kept for one minor after its deprecation: %s, gone with %s: %s', (help, to, severity) => {
    expect(judged(help, to)).toBe(severity);
  });

  it.each([
    ['v1.5.0', 'warn'],
    ['v1.6.0', 'info'],
  ])('is kept as long as a stable one while it is beta: gone with %s: %s', (to, severity) => {
    expect(judged('[BETA] (Deprecated since 1.4.0) x', to, { minMinors: 2 })).toBe(severity);
  });

  it('may go in the release that deprecates it, if the rule keeps it for 0 minors', () => {
    expect(judged('[STABLE] (Deprecated since 1.4.0) x', 'v1.4.3', { minMinors: 0 })).toBe('info');
  });
});

describe('other metrics', () => {
  it('have no promise while they are alpha', () => {
    expect(reported(metric('[ALPHA] x'), '')).toEqual([]);
    expect(reported(metric('[ALPHA] x'), metric('[ALPHA] x', 'gauge'))).toEqual([]);
  });

  it('are warned of while they are beta', () => {
    expect(reported(metric('[BETA] x'), '').map(([severity]) => severity)).toEqual(['warn']);
  });

  it('of Kubernetes without a mark are alpha, and with one stay for three minors', () => {
    const help = (text: string) => metric(text, 'counter', 'apiserver_requests_total');
    expect(reported(help('x'), '')).toEqual([]);
    expect(reported(help('[STABLE] x'), '')).toHaveLength(1);
    const gone = (to: string) =>
      reported(help('[STABLE] (Deprecated since 1.30.0) x'), '', { to: parseVersion(to) })[0]?.[0];
    expect([gone('v1.32.0'), gone('v1.33.0')]).toEqual(['block', 'info']);
  });

  it('that no rule is about are not promised', () => {
    expect(reported(metric('x', 'counter', 'other_total'), '')).toEqual([]);
  });
});

describe('what uses a metric that goes', () => {
  it('is named with file and line, also by the parts of a histogram', () => {
    const usedIn = [
      { source: 'd.json', text: '{\n"expr": "rate(antrea_took_bucket[5m])",\n"expr": "antrea_took_seconds"}' },
      { source: 'r.yaml', text: 'antrea_took' },
    ];
    expect(reported(metric('x', 'histogram', 'antrea_took'), '', { usedIn })[0]?.[1]).toMatch(
      /; used in d\.json:2, r\.yaml:1$/,
    );
  });
});

describe('the changelog', () => {
  it('names what is deprecated and what is removed', () => {
    const silent = 'but the changelog does not mention it';
    expect(reported(plain, deprecated, { changelog: 'Nothing.' })[0]?.[1]).toContain(`is deprecated, ${silent}`);
    expect(reported(deprecated, '', { changelog: 'Nothing.' })[0]?.[1]).toContain(`is removed, ${silent}`);
    expect(reported(deprecated, '', { changelog: '- Remove antrea_some_counter' })).toHaveLength(1);
  });
});

it.each(['1', '1.', '+1.5', '1e'])('a value of 400,000 digits after %s is read in one pass', (start) => {
  const { problems } = parseMetrics(`m ${start}${'0'.repeat(400_000)}!`, 'scrape');
  expect(problems).toMatchObject([{ line: 1, message: expect.stringMatching(/^the value of m is not a number: /) }]);
});

it.each(['1', '1.', '.5', '-1.5', '1e9', '+Inf', 'NaN', '1.5e-3'])('the value %s is a number', (value) => {
  expect(parseMetrics(`m ${value}`, 'scrape').problems).toEqual([]);
});
