import type { NamedPin } from './debian-pins.ts';
import { debianPins } from './debian-pins.ts';
import type { Architecture, DebianPin } from './pins.ts';

/**
 * A later `nft`, which agents run where the other crashes, with all its libraries: those of Debian
 * 12 are too old for it. `npm run updates` does not see them, because apt of Debian 12 does not;
 * see docs/release.md.
 */
const laterNft: Readonly<Record<string, NamedPin>> = {
  libbsd0: {
    version: '0.12.2-2',
    folder: 'libb/libbsd',
    sha256: {
      amd64: 'e5a85986fa6bec3307ab1bc860736b478b331882bc45e17675a7bdf88eecb43a',
      arm64: '6827c1b3ad8dcbf3478803f9150359433e3376a3bde01c4503888a22eb3924e3',
    },
  },
  libc6: {
    version: '2.41-12+deb13u5',
    folder: 'g/glibc',
    sha256: {
      amd64: 'b59b0625cd1a791375d40dab23a4d5d3d0641e3d0a773501becdc3725b7f99cf',
      arm64: '0966fc3da1a26cc57647c68b5736f791b6e7eb498173a7993f63b6c89b4ed4f5',
    },
  },
  libedit2: {
    version: '3.1-20250104-1',
    folder: 'libe/libedit',
    sha256: {
      amd64: 'b002ea172b9c1e34a67bc497c523c67bb74c3f0a4e98113cb083990a1f1d3bfe',
      arm64: '496c31df89fac9cb7e98102fcc21daf887376dcd9914f6322c86dd5bd4360ff1',
    },
  },
  libgmp10: {
    version: '2:6.3.0+dfsg-3',
    folder: 'g/gmp',
    sha256: {
      amd64: 'd0d0265eb01770f17afd0f7c8c0622f80479dcfbbe13653a0debeec61464e622',
      arm64: 'a27bbc27f119161ea9702c8dd66f54131cdf0d2ca73000f50ea91ef2fdfef0fb',
    },
  },
  libjansson4: {
    version: '2.14-2+b3',
    folder: 'j/jansson',
    sha256: {
      amd64: '60707a62fe6c1228c3389b12a13ca4efd76defc5532473e547a29e99cf7d2a6e',
      arm64: '7938472b1ddfa8b0c8f58d5f44406ae7a77a342dbb502a02f6bf292b4f853ab0',
    },
  },
  libmd0: {
    version: '1.1.0-2+b1',
    folder: 'libm/libmd',
    sha256: {
      amd64: '7244ec3839b61fac0c1884fe08aaa040f26e8f1f35f1f5d3482eacefd30d1b44',
      arm64: '772e86842fd3fa1816a0cfee4833a73996aaa550461491543b886b9c8f999052',
    },
  },
  libmnl0: {
    version: '1.0.5-3',
    folder: 'libm/libmnl',
    sha256: {
      amd64: '4ec9c1096e0b954e3bdb03a62314ee7f49999045d3d55be3e4ded520ffc9baf5',
      arm64: 'f21bb29056e9ede0031cc411ffa3b1272858fa4b950e1cd9e50756c5c2ece97f',
    },
  },
  libnftables1: {
    version: '1.1.3-1',
    folder: 'n/nftables',
    sha256: {
      amd64: 'c7cbee3dce8452ae5c3c4269f6f52e96b896d36a46ea3c490e0e11e8ff359896',
      arm64: '260b0790a8f567ef27d293e15c722d867de113d579c330be17d13354cd61c356',
    },
  },
  libnftnl11: {
    version: '1.2.9-1',
    folder: 'libn/libnftnl',
    sha256: {
      amd64: '1b3eae46bfb9c6ab44e404797fb45278045f926d73974a84097ad47a3e27d983',
      arm64: '070278465783af9f3c38a9465d3dec8ad51468a87b8c3a52f6451d4e95e08875',
    },
  },
  libtinfo6: {
    version: '6.5+20250216-2',
    folder: 'n/ncurses',
    sha256: {
      amd64: '8b9f6a7983e9418564e48a627518de4c03917b56efe68d7f3e93bd8fffa1cc10',
      arm64: '2a747f7fff3c2347c357387a7133df997410f07ba1b1df1a1461a97bd7fbc2fc',
    },
  },
  libxtables12: {
    version: '1.8.11-2',
    folder: 'i/iptables',
    sha256: {
      amd64: '4de5aa59faef5e98d6ba9f5f521a915be5641f224f597862f8d29e8319e8db16',
      arm64: 'b200a559a4ae1b4ebcee4fb0fcaef6a16ef01abbe3da8887de15e800b1a6440d',
    },
  },
  nftables: {
    version: '1.1.3-1',
    folder: 'n/nftables',
    sha256: {
      amd64: '2ddfa61baaf3a76e2c499db9e521ba6affb226f85af0b6fef739f346ac5f0c39',
      arm64: '6cced5fccfbd80a25dfbd4bd17cc16372d08cb76c9d1159532ba0f668aa77c37',
    },
  },
};

/** The packages of Debian 13 in the image of the agent. */
export const laterNftPins = (architecture: Architecture): readonly DebianPin[] =>
  debianPins(laterNft, architecture, 13);
