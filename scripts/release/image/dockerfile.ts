import type { Generator } from '../../generate/generator.ts';
import { yamlHeader } from '../../generate/generator.ts';
import { agentContainerConfig, containerConfig } from './controller-image.ts';

/**
 * The Dockerfiles of the images. Their context is the folder `image` that `npm run build` writes,
 * with the layers as archives.
 */
export const dockerfileGenerator: Generator = {
  name: 'Dockerfiles of the images',
  owns: (path) => /^deploy\/image\/Dockerfile(?:\.agent)?$/.test(path),
  files: () => ({
    'deploy/image/Dockerfile': dockerfileText({
      of: 'the controllers',
      build: 'buildah build --tag isthmus/controller dist/image',
      layers: ['system-${TARGETARCH}', 'program'],
      config: containerConfig,
    }),
    'deploy/image/Dockerfile.agent': dockerfileText({
      of: 'the agent',
      build: 'buildah build --file dist/image/Dockerfile.agent --tag isthmus/agent dist/image',
      layers: ['system-${TARGETARCH}', 'tools-${TARGETARCH}', 'program'],
      config: agentContainerConfig,
    }),
  }),
};

interface Dockerfile {
  readonly of: string;
  readonly build: string;
  readonly layers: readonly string[];
  readonly config: typeof containerConfig | typeof agentContainerConfig;
}

function dockerfileText({ of, build, layers, config }: Dockerfile): string {
  const { User, Env, Entrypoint, WorkingDir } = config;
  return `${yamlHeader}# The image of ${of}, for those who build with Docker or Buildah. \`npm run build\` writes the archives and a copy of this file to dist/image:
#
#     ${build}
FROM scratch
# Set by the builder: amd64 or arm64.
ARG TARGETARCH
${layers.map((layer) => `ADD ${layer}.tar.gz /\n`).join('')}ENV ${Env.join(' ')}
USER ${User}
WORKDIR ${WorkingDir}
ENTRYPOINT ${JSON.stringify(Entrypoint)}
`;
}
