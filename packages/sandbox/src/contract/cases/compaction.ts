import type { Answer, CaseApi } from '../case-api.ts';
import type { ContractArea } from '../contract-case.ts';
import { contractArea } from '../contract-case.ts';
import { widget, widgets, widgetsPath, withDefinition } from './crd-fixtures.ts';

/**
 * Answers about resourceVersions that the server has compacted. Servers of this area compact every
 * few seconds.
 */
export const compaction: ContractArea = {
  ...contractArea('compaction', [
    {
      title: 'a watch from a forgotten moment is told so, and ends',
      run: (api) =>
        // The real server keeps events longer than lists, but none from before it first served a
        // kind.
        withDefinition(api, widgets(api), async () => {
          await api.quietly.post(widgetsPath(api), widget(api, 'a'));
          await forgotten(api, await versionOf(api));
          const watch = await api.watch(widgetsPath(api), { query: { resourceVersion: '1' } });
          await watch.ended();
          await watch.close();
        }),
    },
    {
      title: 'a list of a forgotten moment is told so',
      async run(api) {
        const from = await versionOf(api);
        await forgotten(api, from);
        const { status, body } = await api.unnoted.get(secrets(api), {
          query: { resourceVersion: from, resourceVersionMatch: 'Exact' },
        });
        api.note('answer', [status, body]);
      },
    },
    {
      title: 'a page whose list is forgotten is told so, with a token to go on from the present',
      async run(api) {
        for (const name of ['a', 'b', 'c']) await api.quietly.post(secrets(api), { metadata: { name } });
        const { body: first } = await api.quietly.get(secrets(api), { query: { limit: '1' } });
        await forgotten(api, first.metadata.resourceVersion);
        await api.quietly.post(secrets(api), { metadata: { name: 'bb' } });
        const page = (token: string) => api.unnoted.get(secrets(api), { query: { limit: '1', continue: token } });
        const { status, body } = await page(first.metadata.continue);
        api.note('refused', [status, { ...body, metadata: Object.keys(body.metadata) }]);
        const next = await page(body.metadata.continue);
        api.note('the present', [next.status, namesIn(next), Object.keys(next.body.metadata)]);
        const last = await page(next.body.metadata.continue);
        api.note('and on', [last.status, namesIn(last)]);
      },
    },
    {
      title: 'a watch that is open forgets nothing',
      async run(api) {
        const from = await versionOf(api);
        const watch = await api.watch(secrets(api), { query: { resourceVersion: from } });
        await forgotten(api, from);
        await api.quietly.post(secrets(api), { metadata: { name: 'late' } });
        const count = () =>
          watch.events().then((events) => events.some(({ object }) => object.metadata.name === 'late'));
        await api.settled(count);
        api.note('told', 'late');
      },
    },
    {
      title: 'the present, and anything not older than the past, is had all the same',
      async run(api) {
        const from = await versionOf(api);
        await forgotten(api, from);
        for (const query of [
          {},
          { resourceVersion: '0' },
          { resourceVersion: from },
          { resourceVersion: from, resourceVersionMatch: 'NotOlderThan' },
        ]) {
          const { status } = await api.unnoted.get(secrets(api), { query });
          api.note(JSON.stringify(Object.keys(query)), status);
        }
      },
    },
  ]),
  compactEveryMs: 2_000,
};

const secrets = ({ namespace }: CaseApi) => `/api/v1/namespaces/${namespace}/secrets`;

async function versionOf(api: CaseApi): Promise<string> {
  const { body } = await api.quietly.get(secrets(api));
  return body.metadata.resourceVersion;
}

/** Writes until the server has forgotten this moment. */
async function forgotten(api: CaseApi, resourceVersion: string): Promise<void> {
  let count = 0;
  await api.settled(async () => {
    await api.quietly.post(secrets(api), { metadata: { name: `z-${count++}` } });
    const query = { resourceVersion, resourceVersionMatch: 'Exact', limit: '1' };
    return (await api.unnoted.get(secrets(api), { query })).status === 410;
  });
}

function namesIn({ body }: Answer): readonly string[] {
  return (body.items ?? []).map(({ metadata }: { readonly metadata: { readonly name: string } }) => metadata.name);
}
