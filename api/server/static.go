package server

import "flightdesk/api"

func (s *Server) openAPI(*exchange) (answer, error) {
	return answer{file: &file{name: "openapi.yaml", mediaType: "application/yaml", content: api.OpenAPI}}, nil
}
