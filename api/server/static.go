package server

import (
	"mime"
	"net/http"
	"strings"

	"flightdesk/api"
	"flightdesk/kmlcsv"
)

func (m *monitoringHandlers) openAPI(*exchange) (handlerAnswer, error) {
	return handlerAnswer{file: &fileAnswer{name: "openapi.yaml", mediaType: "application/yaml", content: api.OpenAPI}}, nil
}

// csvExample answers the template, as the file itself where that is asked for.
func (h *publicHandlers) csvExample(x *exchange) (handlerAnswer, error) {
	const name, mediaType = "sites.csv", "text/csv"
	if acceptsType(x.r.Header, mediaType) {
		return handlerAnswer{file: &fileAnswer{name: name, mediaType: mediaType + "; charset=utf-8", content: kmlcsv.Template()}}, nil
	}
	return handlerAnswer{message: "a CSV file to start from", data: api.CSVTemplate{
		FileName: name, ContentType: mediaType, Content: string(kmlcsv.Template()),
	}}, nil
}

// acceptsType reports whether a request names a media type among those it takes.
func acceptsType(h http.Header, mediaType string) bool {
	for _, one := range strings.Split(strings.Join(h.Values("Accept"), ","), ",") {
		if name, params, err := mime.ParseMediaType(one); err == nil && name == mediaType && !strings.HasPrefix(params["q"], "0") {
			return true
		}
	}
	return false
}
