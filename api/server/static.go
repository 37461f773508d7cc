package server

import (
	"flightdesk/api"
	"flightdesk/kmlcsv"
)

func (m *monitoring) openAPI(*exchange) (answer, error) {
	return answer{file: &file{name: "openapi.yaml", mediaType: "application/yaml", content: api.OpenAPI}}, nil
}

func (h *public) csvExample(*exchange) (answer, error) {
	return answer{file: &file{
		name: "sites.csv", mediaType: "text/csv; charset=utf-8", content: kmlcsv.Template(),
	}}, nil
}
