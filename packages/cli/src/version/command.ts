import { wireNumber } from '@isthmus/api';
import { defineCommand } from '../command/command.ts';
import { switchFlag } from '../command/flag.ts';
import { documentText, outputFlag } from '../command/output-flag.ts';
import { ExitCode } from '../exit-code.ts';
import { isthmusVersion, versionLine } from './version.ts';

export const versionCommand = defineCommand({
  name: 'version',
  summary: 'Print the version of this program and its wire number',
  description: ['The wire number increases when other clusters of a ClusterSet need to know about a change.'],
  flags: { output: outputFlag, json: switchFlag({ summary: 'the same as -o json' }) },
  examples: [],
  async run(io, flags) {
    const output = flags.output ?? (flags.json === true ? 'json' : 'text');
    const document = { version: isthmusVersion, wire: wireNumber };
    io.stdout.write(output === 'text' ? `${versionLine()}\n` : documentText(document, output));
    return ExitCode.ok;
  },
});
