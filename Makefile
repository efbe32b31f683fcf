# The command of the guides of Antrea Multi-cluster. All else is in package.json: `npm run`.
.PHONY: antrea-mc-controller
antrea-mc-controller:
	npm ci
	npm run build
	@echo
	@echo "Instead of 'docker save': copy dist/isthmus-controller-*.oci.tar to each Node."
	@echo "Instead of 'docker load', on the Node: ctr --namespace k8s.io images import isthmus-controller-*.oci.tar"
