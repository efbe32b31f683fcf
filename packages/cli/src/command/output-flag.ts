import { choiceFlag } from '../../command/flag.ts';

/** How a check says what it has found. */
export const outputFlag = choiceFlag(['text', 'json'], {
  placeholder: 'format',
  short: 'o',
  summary: 'text or json (stable fields)',
  absent: 'text',
});
