import type { NamedPin } from './debian-pins.ts';
import { debianPins } from './debian-pins.ts';
import type { Architecture, DebianPin } from './pins.ts';

/**
 * The packages with the programs that agents run, and with their libraries. nftables 1.1.2 and
 * later is no better choice yet: up to 1.1.1, `nft` crashes where it finds the sets of these in the
 * network of a Node, and kube-proxy or the Node may have such an earlier one. See
 * later-nft-pins.ts.
 */
const tools: Readonly<Record<string, NamedPin>> = {
  conntrack: {
    version: '1:1.4.7-1+b2',
    folder: 'c/conntrack-tools',
    sha256: {
      amd64: '9827d60b60c1b5673e97f34db48d9db79e9f9ef807ee998320f6dafc80711e82',
      arm64: 'd30eeb6be5c4b2ce1f6d4728d1ac4db0006746eaa40ca0788ea4869580d2d4b3',
    },
  },
  iproute2: {
    version: '6.1.0-3',
    folder: 'i/iproute2',
    sha256: {
      amd64: '1204b29e916e836267096d0b9d778106752f821ebde0d281539008b4386d9070',
      arm64: '58fad55c5a29be6c1e6301d0c572f2ac5e5962ff244e7da3784c1b29ffc6c6bf',
    },
  },
  nftables: {
    version: '1.0.6-2+deb12u2',
    folder: 'n/nftables',
    sha256: {
      amd64: '966ff20ce58c17163a771c02ddbca264291408f94c512bd85dd18da0ebdbe88c',
      arm64: 'f5906f44fffdb190f84e3fdd6c07cba399205de5173f67e8742876a7865e2fc9',
    },
  },
  'wireguard-go': {
    version: '0.0.20220316-1+b4',
    folder: 'w/wireguard-go',
    sha256: {
      amd64: '7be694f9c8d990ae1da554ec6640dd97216fce6c030b7c8caaf6f7914618d023',
      arm64: 'b2321ad498293ca2264afde55ea9e5b063156a6e130a2da4766b320559c6d1f5',
    },
  },
  'wireguard-tools': {
    version: '1.0.20210914-1+b1',
    folder: 'w/wireguard',
    sha256: {
      amd64: '56d2d255d7a8b7cab200de84f510f61a9a6e83dde75e747fc6eeab03c0e1dd47',
      arm64: '83ad3d2aa77b22485adc72bcc674e5919e915e6400e6e5435547a9355e16b9a5',
    },
  },
  libbpf1: {
    version: '1:1.1.2-0+deb12u1',
    folder: 'libb/libbpf',
    sha256: {
      amd64: '5e7505ef77ebc84ad0203411e4afdeb8a98f40fb7f78f013aa4dd8710e49f8ed',
      arm64: 'c9929839798e7d8e66b212f345ecf1653ba7f1a9e1b753d0eb67bd521b0b5511',
    },
  },
  libbsd0: {
    version: '0.11.7-2',
    folder: 'libb/libbsd',
    sha256: {
      amd64: 'bb31cc8b40f962a85b2cec970f7f79cc704a1ae4bad24257a822055404b2c60b',
      arm64: 'ef00f132ddd268ee67d756998723ee18543db27ab34930c0a9f1cff75cf55382',
    },
  },
  libcap2: {
    version: '1:2.66-4+deb12u3+b1',
    folder: 'libc/libcap2',
    sha256: {
      amd64: '8d684c673e7483802a5c447834b0df6fce006eb3a7109e1be412f5ad425bb24f',
      arm64: 'b3a21ae1cef9c2f3fa340007100fb0aa934ab6a4d8aed131660de9713db2bb6e',
    },
  },
  libedit2: {
    version: '3.1-20221030-2',
    folder: 'libe/libedit',
    sha256: {
      amd64: '1cf14abf2716d3279db12d0657a5737cf70074a1e71d3bdf73206625e3c89ce6',
      arm64: '6ca1e355586ebfcfe8122b4d317fcaad4a9a10ca455c6a9bbd36f55bf4be85d3',
    },
  },
  libelf1: {
    version: '0.188-2.1',
    folder: 'e/elfutils',
    sha256: {
      amd64: '619add379c606b3ac6c1a175853b918e6939598a83d8ebadf3bdfd50d10b3c8c',
      arm64: '32971952d8f5d563447bf275f24e26057500924da2d855c1edb53b0f0400bd11',
    },
  },
  libgmp10: {
    version: '2:6.2.1+dfsg1-1.1',
    folder: 'g/gmp',
    sha256: {
      amd64: '187aedef2ed763f425c1e523753b9719677633c7eede660401739e9c893482bd',
      arm64: '9906387c1dd806518c915bd8616d072c741061d7fa26b222e52763456060b31a',
    },
  },
  libjansson4: {
    version: '2.14-2',
    folder: 'j/jansson',
    sha256: {
      amd64: '3fc9742f9f1a37bcb9931df6074b4d1483419ef832ad5349f47323e75fc27864',
      arm64: '49fda2bcfdf6b78098a5cdc9eaee23ef1f3b331559f02f1e32bc26f1fb6b4aec',
    },
  },
  libmd0: {
    version: '1.0.4-2',
    folder: 'libm/libmd',
    sha256: {
      amd64: '03539fd30c509e27101d13a56e52eda9062bdf1aefe337c07ab56def25a13eab',
      arm64: '99a8c7dd591fae9fb37d8bf8dfdffa850e207fa405b3198c5b24711a5f972381',
    },
  },
  libmnl0: {
    version: '1.0.4-3',
    folder: 'libm/libmnl',
    sha256: {
      amd64: '4581f42e3373cb72f9ea4e88163b17873afca614a6c6f54637e95aa75983ea7c',
      arm64: 'd63aafb6f2c07db8fcb135b00ff915baf72ef8a3397e773c9c24d67950c6a46c',
    },
  },
  'libnetfilter-conntrack3': {
    version: '1.0.9-3',
    folder: 'libn/libnetfilter-conntrack',
    sha256: {
      amd64: '65f1539238f60fcc85d115acd640474f45c77bfddcf402eb7d75965a783c2bc8',
      arm64: '837ebd84c43dc9f6c840695f64763ff4a3b7e5e83eedb37817e272e75fcc84bf',
    },
  },
  libnfnetlink0: {
    version: '1.0.2-2',
    folder: 'libn/libnfnetlink',
    sha256: {
      amd64: 'ae5cbba417ea48f34c1f72c27e8146a81f20614c1296bca2cd7234c8215fddcc',
      arm64: 'e2c85edf9015dc918ce190397fbbf059ad659941c5a650a250de67f2319a903b',
    },
  },
  libnftables1: {
    version: '1.0.6-2+deb12u2',
    folder: 'n/nftables',
    sha256: {
      amd64: '3a8223f9bfba99d97bf25296ac83de307ab036e1df63e5965f88809266851947',
      arm64: '7470db9de55d13b40bf7d4c928adce4b1e58aada8a22d614907b52a9724906b2',
    },
  },
  libnftnl11: {
    version: '1.2.4-2',
    folder: 'libn/libnftnl',
    sha256: {
      amd64: '9e619e1470a1915264e906020f3bfc046fd8458043b1342686d997b5078213af',
      arm64: 'fd8b6f2ea21d60e25b07dfee8804ece79c2b18309df7773b091a587135565b9f',
    },
  },
  libtinfo6: {
    version: '6.4-4',
    folder: 'n/ncurses',
    sha256: {
      amd64: '072d908f38f51090ca28ca5afa3b46b2957dc61fe35094c0b851426859a49a51',
      arm64: 'baef0f6776f84c7eed4f1146d6e5774689567dad43216894d41da02e6608e4b3',
    },
  },
  libxtables12: {
    version: '1.8.9-2',
    folder: 'i/iptables',
    sha256: {
      amd64: 'cb841d66950a43af4a398625313d2f3da9065299c9738538de6c2c3495857040',
      arm64: '8884a42f98b989e5ba2e91d931b5c6e9eb72568e5d3001d97d73d7913890a7b3',
    },
  },
  zlib1g: {
    version: '1:1.2.13.dfsg-1',
    folder: 'z/zlib',
    sha256: {
      amd64: 'd7dd1d1411fedf27f5e27650a6eff20ef294077b568f4c8c5e51466dc7c08ce4',
      arm64: '52b8b8a145bbe1956bba82034f77022cbef0c3d0885c9e32d9817a7932fe1913',
    },
  },
};

/** The packages in the image of the agent besides those of the controllers. */
export const toolPins = (architecture: Architecture): readonly DebianPin[] => debianPins(tools, architecture, 12);
