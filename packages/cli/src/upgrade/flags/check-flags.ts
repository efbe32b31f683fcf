import { textFlag } from '../../command/flag.ts';

/** The flag by which checks and plans take histories. */
export const historyFlag = textFlag({
  placeholder: 'files',
  summary: 'ApiHistory files that say when versions were deprecated, separated by commas',
});

/** The flag by which checks take waivers. */
export const waiversFlag = textFlag({
  placeholder: 'file',
  summary: 'a Waivers file: findings that may pass, by whom and until when',
});
