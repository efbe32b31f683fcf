import type { CaseApi } from '../case-api.ts';
import { contractArea } from '../contract-case.ts';

/** Which form of an answer a client gets, and which forms of a body it may send. */
export const negotiation = contractArea('negotiation', [
  ...Object.entries({
    'no Accept header is JSON': '',
    'anything is JSON': '*/*',
    'JSON with a charset is JSON': 'application/json;charset=utf-8',
    'the better quality is preferred': 'application/yaml;q=0.4,application/json;q=0.9',
    'the first of equals is preferred': 'application/yaml,application/json',
    'a quality of nothing is still a wish': 'application/json;q=0',
    'what is not known is passed over': 'text/html,application/xhtml+xml,application/json',
    'spaces do not matter': ' application/json ; q=1 , text/html',
    'a Table, or what there is': 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json',
    'a Table of a version that is not there, or what there is':
      'application/json;as=Table;v=v9;g=meta.k8s.io,application/json',
    'an unknown form, or what there is': 'application/json;as=Chair;v=v1;g=meta.k8s.io,application/json',
    'the group of a Table is needed': 'application/json;as=Table;v=v1,application/json',
    'pretty JSON is JSON': 'application/json;pretty=1',
    'an unknown parameter is ignored': 'application/json;export=1',
  }).map(([title, header]) => ({
    title,
    async run(api: CaseApi) {
      const path = await fill(api);
      const { status, headers, body } = await api.quietly.get(path, { headers: { accept: header } });
      const kind = typeof body === 'string' ? /^kind: (.*)$/m.exec(body)?.[1] : body.kind;
      api.note(`Accept: ${header}`, { status, type: headers['content-type'], kind });
    },
  })),
  ...Object.entries({
    'HTML alone is not acceptable': 'text/html',
    'any application is none in particular': 'application/*',
    'upper case is another type': 'Application/JSON',
    'an empty clause is no form': ',',
    'a form that is not there is not acceptable': 'application/json;as=Chair;v=v1;g=meta.k8s.io',
    'a Table of another version is not acceptable': 'application/json;as=Table;v=v9;g=meta.k8s.io',
    'a Table of another group is not acceptable': 'application/json;as=Table;v=v1;g=example.com',
    'a list of metadata is no form of one object': 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
    'nonsense is not acceptable': 'nonsense',
  }).map(([title, header]) => ({
    title,
    async run(api: CaseApi) {
      const path = await fill(api);
      await api.get(path, { headers: { accept: header } });
    },
  })),
  {
    title: 'metadata of one object is no form of a list',
    async run(api) {
      await fill(api);
      const header = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
      await api.get(configMaps(api), { headers: { accept: header }, query: { labelSelector: 'n=a' } });
    },
  },
  {
    title: 'YAML answers one object and a refusal',
    async run(api) {
      const headers = { accept: 'application/yaml' };
      await api.get(`${configMaps(api)}/none`, { headers });
      await fill(api);
      const { headers: told, body } = await api.quietly.get(`${configMaps(api)}/a`, { headers });
      const lines = String(body).split('\n');
      api.note('YAML', { type: told['content-type'], first: lines.slice(0, 5) });
    },
  },
  {
    title: 'what is refused is told before anything is done',
    async run(api) {
      await api.post(configMaps(api), { metadata: { name: 'b' } }, { headers: { accept: 'text/html' } });
      await api.get(`${configMaps(api)}/b`);
    },
  },
  {
    title: 'a watch is JSON lines for whoever takes JSON, and not acceptable for whoever wants HTML',
    async run(api) {
      await fill(api);
      const watch = await api.watch(configMaps(api), {
        query: { fieldSelector: 'metadata.name=a' },
        headers: { accept: 'application/json;stream=watch' },
      });
      await watch.until(1);
      await watch.close();
      await api.get(configMaps(api), { query: { watch: 'true' }, headers: { accept: 'text/html' } });
    },
  },
  {
    title: 'a body in YAML creates an object',
    async run(api) {
      const body = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: from-yaml\ndata:\n  a: "1"\n';
      const { status } = await api.quietly.post(configMaps(api), body, {
        headers: { 'content-type': 'application/yaml' },
      });
      api.note('created', status);
      const { body: object } = await api.quietly.get(`${configMaps(api)}/from-yaml`);
      api.note('data', object.data);
    },
  },
  {
    title: 'a body of a type that the server does not read is refused',
    async run(api) {
      for (const type of ['text/plain', 'application/xml', 'application/json-patch+json', 'nonsense']) {
        await api.post(configMaps(api), { metadata: { name: 'x' } }, { headers: { 'content-type': type } });
      }
    },
  },
  {
    title: 'a body without a type, or of JSON with parameters, is JSON',
    async run(api) {
      for (const [name, type] of Object.entries({ none: '', charset: 'application/json; charset=utf-8' })) {
        const { status } = await api.quietly.post(
          configMaps(api),
          { metadata: { name } },
          { headers: { 'content-type': type } },
        );
        api.note(`Content-Type: ${type}`, status);
      }
    },
  },
]);

const configMaps = ({ namespace }: CaseApi) => `/api/v1/namespaces/${namespace}/configmaps`;

/** Makes a ConfigMap and returns its path. */
async function fill(api: CaseApi): Promise<string> {
  await api.quietly.post(configMaps(api), { metadata: { name: 'a', labels: { n: 'a' } }, data: { k: 'v' } });
  return `${configMaps(api)}/a`;
}
