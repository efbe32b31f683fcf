import { choiceFlag, textFlag } from './flag.ts';

/** The flag `--context` of commands that speak to one cluster. */
export const contextFlag = textFlag({
  placeholder: 'name',
  summary: 'the context of the kubeconfig',
  absent: 'the current context',
});

/** The flag `--log-format` of commands that run for long. */
export const logFormatFlag = choiceFlag(['json', 'text'], {
  placeholder: 'format',
  summary: 'json or text',
  absent: 'text on a terminal, json elsewhere',
});
