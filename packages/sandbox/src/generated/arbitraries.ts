import fc from 'fast-check';

/**
 * An object of which some fields may be absent. About half of the objects have each `optional`
 * field.
 */
export function fields(
  required: Readonly<Record<string, fc.Arbitrary<unknown>>>,
  optional: Readonly<Record<string, fc.Arbitrary<unknown>>> = {},
): fc.Arbitrary<Record<string, unknown>> {
  return fc
    .record(
      { ...required, ...optional },
      {
        requiredKeys: Object.keys(required),
      },
    )
    .map((record) => ({ ...record }));
}

export const oneOf = fc.constantFrom;

/** Names that most kinds allow. */
export const name = fc.constantFrom('a', 'web', 'web-1', 'a.b', '0a', 'x'.repeat(63));

export const labels = fc.dictionary(
  fc.constantFrom('app', 'example.com/part', 'a.b_c'),
  fc.constantFrom('web', '', 'B_1'),
  {
    maxKeys: 3,
    noNullPrototype: true,
  },
);

/** `metadata` with labels, annotations, generated names and finalizers now and then. */
export const metadata = fc.oneof(
  { weight: 4, arbitrary: fields({ name }) },
  { weight: 3, arbitrary: fields({ name }, { labels, annotations: labels }) },
  { weight: 1, arbitrary: fields({ generateName: fc.constantFrom('gen-', 'gen') }, { labels }) },
  {
    weight: 1,
    arbitrary: fields({ name }, { finalizers: fc.constant(['example.com/hold']), generation: fc.constant(7) }),
  },
);

export const list = <T>(item: fc.Arbitrary<T>, maxLength = 3, minLength = 0): fc.Arbitrary<T[]> =>
  fc.array(item, { minLength, maxLength, size: 'max' });

/** A kind's objects: `apiVersion`, `kind`, `metadata`, and the rest. */
export function objects(
  apiVersion: string,
  kind: string,
  rest: fc.Arbitrary<Record<string, unknown>>,
  meta: fc.Arbitrary<Record<string, unknown>> = metadata,
): fc.Arbitrary<Record<string, unknown>> {
  return fc.record({ meta, rest }).map(({ meta: m, rest: r }) => ({ apiVersion, kind, metadata: m, ...r }));
}
