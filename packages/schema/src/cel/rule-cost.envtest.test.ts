/**
 * Costs of rules on a real API server. `RECORD=cel-cost` records its answers again; the commit then
 * shows the difference.
 */
import { writeFileSync } from 'node:fs';
import { env } from 'node:process';
import { fileURLToPath } from 'node:url';
import { adminTransport, startApiServer } from '@isthmus/testkit';
import { expect, it } from 'vitest';
import recorded from './fixtures/cost-answers.json' with { type: 'json' };
import { askedSchemas, kindWith } from './testing/cost-answers.ts';

it('a real API server refuses the rules that are recorded, in the words that are recorded', async () => {
  await using server = await startApiServer({ name: 'cel-cost' });
  const transport = adminTransport(server, 'cel-cost/1');
  const ask = async (schema: Parameters<typeof kindWith>[0]): Promise<readonly string[]> => {
    const { status, body } = await transport.send(
      {
        method: 'POST',
        path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify(kindWith(schema)),
      },
      AbortSignal.timeout(60_000),
    );
    const answer = JSON.parse(Buffer.concat(await Array.fromAsync(body)).toString('utf8')) as {
      readonly details?: { readonly causes?: readonly { readonly field?: string; readonly message: string }[] };
    };
    expect([201, 422], JSON.stringify(answer)).toContain(status);
    return (answer.details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`).toSorted();
  };
  const answers: Record<string, readonly string[]> = {};
  for (const [key, schema] of askedSchemas()) answers[key] = await ask(schema);
  transport.close();
  if (env['RECORD'] === 'cel-cost') {
    const path = fileURLToPath(new URL('./fixtures/cost-answers.json', import.meta.url));
    writeFileSync(path, `${JSON.stringify(answers, undefined, 2)}\n`);
  } else expect(answers).toEqual(recorded);
});
