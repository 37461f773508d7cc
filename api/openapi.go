package api

import _ "embed"

// OpenAPI is the service's contract, an OpenAPI 3.1 document in YAML.
//
//go:embed openapi.yaml
var OpenAPI []byte
