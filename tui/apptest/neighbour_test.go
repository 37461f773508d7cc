package apptest_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	"flightdesk/api/standin"
)

// Rewrite answers a request in another way; real asks the service behind it,
// once at most.
type Rewrite func(r *http.Request, real func() standin.Answer) standin.Answer

// Service answers for another one as Rewrite says.
type Service struct {
	Real    http.Handler
	Rewrite Rewrite // nil changes nothing

	mu   sync.Mutex
	sent []string
}

// Sent lists method and path of the requests that may change something, in
// their order, whether the real service got them or not.
func (s *Service) Sent() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.sent...)
}

// ServeHTTP answers a request.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead && !IsRecordRead(r) {
		s.mu.Lock()
		s.sent = append(s.sent, r.Method+" "+r.URL.Path)
		s.mu.Unlock()
	}
	if strings.HasPrefix(r.URL.Path, "/files/") || s.Rewrite == nil {
		s.Real.ServeHTTP(w, r)
		return
	}
	a := s.Rewrite(r, func() standin.Answer { return s.ask(r) })
	for name, values := range a.Header {
		if name != "Content-Length" {
			w.Header()[name] = values
		}
	}
	if a.Header == nil {
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(a.Status)
	_, _ = io.WriteString(w, a.Body)
}

func (s *Service) ask(r *http.Request) standin.Answer {
	w := httptest.NewRecorder()
	s.Real.ServeHTTP(w, r)
	return standin.Answer{Status: w.Code, Header: w.Header().Clone(), Body: w.Body.String()}
}

// IsRecordRead reports whether a request is a read of the v2 API, which are
// all POST.
func IsRecordRead(r *http.Request) bool {
	return strings.Contains(r.URL.Path, "/getorder") || strings.Contains(r.URL.Path, "/datalibraryorders")
}
