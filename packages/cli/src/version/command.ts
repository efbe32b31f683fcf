import { wireNumber } from '@isthmus/api';
import { defineCommand } from '../command/command.ts';
import { switchFlag } from '../command/flag.ts';
import { ExitCode } from '../exit-code.ts';
import { isthmusVersion, versionLine } from './version.ts';

export const versionCommand = defineCommand({
  name: 'version',
  summary: 'Print the version of this program and its wire number',
  description: ['The wire number increases when other clusters of a ClusterSet need to know about a change.'],
  flags: { json: switchFlag({ summary: 'print one JSON object with `version` and `wire`' }) },
  examples: [],
  async run(io, flags) {
    const text = flags.json ? JSON.stringify({ version: isthmusVersion, wire: wireNumber }) : versionLine();
    io.stdout.write(`${text}\n`);
    return ExitCode.ok;
  },
});
