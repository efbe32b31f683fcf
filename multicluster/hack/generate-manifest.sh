#!/usr/bin/env bash
# Prints a manifest of the newest tree, as the guides of Antrea Multi-cluster ask for it. `deploy` has the manifests themselves.
set -euo pipefail
unset CDPATH
deploy=$(cd -- "$(dirname -- "$0")/../../deploy" && pwd)
usage() {
  cat <<'USAGE'
Usage: generate-manifest.sh -g | -l NAMESPACE | -m

  -g, --global             the CustomResourceDefinitions of a leader cluster
  -l, --leader NAMESPACE   a leader's controller in this Namespace
  -m, --member             a member: CustomResourceDefinitions and controller
USAGE
}
refuse() {
  echo "generate-manifest.sh: $1" >&2
  usage >&2
  exit 2
}
case "${1-}" in
-g | --global) arguments=1 && print=(cat "$deploy/leader-global.yaml") ;;
-m | --member) arguments=1 && print=(cat "$deploy/member.yaml") ;;
-l | --leader)
  [[ "${2-}" =~ ^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$ ]] ||
    refuse "the Namespace '${2-}' is no name: lower-case letters, digits and '-', at most 63"
  arguments=2 && print=(sed "s/changeme/$2/g" "$deploy/leader-namespaced.yaml")
  ;;
-h | --help) usage && exit 0 ;;
'') refuse 'no manifest named' ;;
*) refuse "unknown argument '$1'" ;;
esac
[ $# -eq "$arguments" ] || refuse "more arguments than one manifest needs: one at a time"
"${print[@]}"
