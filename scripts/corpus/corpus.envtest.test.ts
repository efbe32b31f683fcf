import { setTimeout as delay } from 'node:timers/promises';
import { adminTransport, startApiServer } from '@isthmus/testkit';
import { expect, it } from 'vitest';
import { apiServer, askThrough } from './api-server.ts';
import { corpusEnd } from './report.ts';
import { runHistory } from './run-history.ts';
import { madeUpHistory, madeUpWorld, widgets } from './testing/made-up-world.ts';

it('takes a real API server through a history: both agree on CRDs that are accepted and rejected, and on objects before and after', async () => {
  const text = { type: 'string' } as const;
  const spec = (a: object, more: object = {}) => ({ type: 'object', properties: { a }, ...more }) as const;
  // The name of a type with dots costs no more than any other name.
  const ts = {
    ...text,
    format: 'date-time',
    'x-kubernetes-validations': [{ rule: 'type(self) == google.protobuf.Timestamp' }],
  };
  const version = (name: string, storage: boolean, of: object) => ({
    name,
    served: true,
    storage,
    schema: { openAPIV3Schema: { type: 'object', properties: { spec: of } } },
  });
  const never = {
    type: 'object',
    properties: {
      spec: spec(text),
      status: {
        ...spec({ ...text, 'x-kubernetes-validations': [{ rule: "self == 'never'" }] }),
        required: ['a'],
      },
    },
  };
  const files = {
    'made-up/v1.0.0/crd.yaml': widgets(spec({ ...text, enum: ['x', 'y'] })),
    'made-up/v1.1.0/crd.yaml': widgets(spec({ ...text, enum: ['y'] })),
    'made-up/v1.2.0/crd.yaml': widgets(spec({}), {
      versions: [
        version('v1', false, spec(text, { properties: { a: text, ts } })),
        version('v2', true, spec(text, { required: ['a'] })),
      ],
    }),
    // Objects were stored in v1.
    'made-up/v2.0.0/crd.yaml': widgets(spec({}), { versions: [version('v2', true, spec(text))] }),
    // Nothing that it makes of a status is accepted, and the status is dropped.
    'made-up/v2.1.0/crd.yaml': widgets(spec({}), {
      versions: [
        { ...version('v2', true, spec(text)), schema: { openAPIV3Schema: never }, subresources: { status: {} } },
      ],
    }),
  };
  await using real = await startApiServer({ name: 'corpus-test' });
  const transport = adminTransport(real, 'isthmus-envtest');
  const server = apiServer(askThrough(transport), () => delay(20));
  const pairs = await runHistory(madeUpHistory(files), madeUpWorld(files, server));
  transport.close();
  expect(corpusEnd([{ name: 'made-up', pairs }], 1_000).text).toContain('5 CRDs compared, 0 problems');
  expect(pairs.map(({ definitions: [one] }) => one?.isAccepted)).toEqual([true, true, true, false, true]);
  expect(pairs[3]?.definitions[0]?.ours.refusals[0]).toMatch(/^G05: /);
  const rejected = pairs.flatMap(({ to, objects }) =>
    objects.filter(({ isAccepted }) => !isAccepted).map(({ request, object }) => `${to} ${request} of ${object}`),
  );
  expect(rejected).toContain('v1.1.0 create of whole');
  expect(rejected).not.toContain('v1.1.0 update of whole');
});
