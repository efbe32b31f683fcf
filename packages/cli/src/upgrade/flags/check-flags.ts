import { textFlag } from '../../command/flag.ts';

/** The flag by which checks and plans take histories. */
export const historyFlag = textFlag({
  isList: true,
  placeholder: 'files',
  summary: 'ApiHistory files with the deprecation dates of API versions, separated by commas',
});

/** The flag by which checks take waivers. */
export const waiversFlag = textFlag({
  placeholder: 'file',
  summary: 'a Waivers file: accepted findings, with owner and end date',
});
