import type { Generator } from '../../generate/generator.ts';
import { yamlHeader } from '../../generate/generator.ts';
import { containerConfig } from './controller-image.ts';

const path = 'deploy/image/Dockerfile';

/** The Dockerfile of the image. Its context is the folder `image` that `npm run build` writes, with the layers as archives. */
export const dockerfileGenerator: Generator = {
  name: 'Dockerfile of the image',
  owns: (one) => one === path,
  files: () => ({ [path]: dockerfileText() }),
};

function dockerfileText(): string {
  const { User, Env, Entrypoint, WorkingDir } = containerConfig;
  return `${yamlHeader}# The image of the controllers, for those who build with Docker or Buildah. \`npm run build\` writes the archives and a copy of this file to dist/image:
#
#     buildah build --tag isthmus/controller dist/image
FROM scratch
# Set by the builder: amd64 or arm64.
ARG TARGETARCH
ADD system-\${TARGETARCH}.tar.gz /
ADD program.tar.gz /
ENV ${Env.join(' ')}
USER ${User}
WORKDIR ${WorkingDir}
ENTRYPOINT ${JSON.stringify(Entrypoint)}
`;
}
