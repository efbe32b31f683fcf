import { textFlag } from '../../command/flag.ts';

/** The flag by which every command takes policies. */
export const policyFlag = textFlag({
  placeholder: 'files',
  summary:
    'policies beside those that ship with isthmus, separated by commas; one of the same name takes the place of the shipped one',
});
