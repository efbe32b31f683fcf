import { textFlag } from '../../command/flag.ts';

/** The flag by which every command takes policies. */
export const policyFlag = textFlag({
  isList: true,
  placeholder: 'files',
  summary:
    'Policy files in addition to the shipped policies, separated by commas; a policy with the name of a shipped one replaces it',
});
