import { wireNumber } from '@isthmus/api';
import { defineCommand } from '../command/command.ts';
import { switchFlag } from '../command/flag.ts';
import { ExitCode } from '../exit-code.ts';
import { isthmusVersion, versionLine } from './version.ts';

export const versionCommand = defineCommand({
  name: 'version',
  summary: 'Print the version of this program and the wire that it speaks',
  description: ['The wire number is raised when the other clusters of a ClusterSet have to know of a change.'],
  flags: { json: switchFlag({ summary: 'print one JSON object with `version` and `wire`' }) },
  examples: [],
  async run(io, flags) {
    const text = flags.json ? JSON.stringify({ version: isthmusVersion, wire: wireNumber }) : versionLine();
    io.stdout.write(`${text}\n`);
    return ExitCode.ok;
  },
});
