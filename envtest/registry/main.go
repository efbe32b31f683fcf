// The registry of the CNCF project Distribution, as its own command runs it, with the storage and the kinds of authentication that the tests use:
// without those of cloud providers it builds in a fraction of the time.
package main

import (
	"log"

	"github.com/distribution/distribution/v3/registry"
	_ "github.com/distribution/distribution/v3/registry/auth/htpasswd"
	_ "github.com/distribution/distribution/v3/registry/auth/token"
	_ "github.com/distribution/distribution/v3/registry/storage/driver/inmemory"
)

func main() {
	if err := registry.RootCmd.Execute(); err != nil {
		log.Fatal(err)
	}
}
