import { formatFlag, numberFlag, switchFlag, textFlag } from '../../../command/flag.ts';

export const resolveFlags = {
  verify: switchFlag({
    summary: 'also look up artifacts that have a digest: compare it with the digest found, and add the size',
  }),
  mirror: textFlag({
    isList: true,
    placeholder: 'hosts',
    summary: 'host=mirror[:port][/folder], separated by commas: images and files of the host come only from the mirror',
  }),
  'registry-config': textFlag({
    placeholder: 'file',
    summary: 'a docker config (config.json) with credentials',
    absent: 'no credentials',
  }),
  'certificate-authority': textFlag({
    isList: true,
    placeholder: 'files',
    summary:
      'PEM files of trusted certificate authorities, as host=file, or one file for all hosts, separated by commas; they replace the authorities of the system',
  }),
  concurrency: numberFlag({ placeholder: 'number', summary: 'how many artifacts are looked up at once', absent: '8' }),
  timeout: textFlag({ placeholder: 'duration', summary: 'the time for one artifact, retries included', absent: '2m' }),
  'dry-run': switchFlag({
    summary: 'only print which artifacts would be looked up, and where: a table, or a document with --output',
  }),
  output: formatFlag(['yaml', 'json'], 'yaml or json'),
};
