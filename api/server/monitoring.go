package server

import (
	"net/http"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/internal/store"
)

// healthState is the data of the answer to /healthz.
type healthState struct {
	Status   string `json:"status"`
	Database string `json:"database,omitzero"`
}

// answerHealth answers that the process is running, whatever the state of its
// dependencies.
func (m *monitoringHandlers) answerHealth(*exchange) (handlerAnswer, error) {
	return handlerAnswer{message: "serving", data: healthState{"ok", m.metrics.store.State()}}, nil
}

// answerStarting answers requests while the service is starting.
func (p *port) answerStarting(w http.ResponseWriter, r *http.Request) {
	x := &exchange{
		w:      w,
		r:      r,
		client: r.Context(),
		log:    p.log,
		now:    p.now,
		id:     requestID(r),
	}
	w.Header().Set("X-Request-Id", x.id)
	w.Header().Set("Date", x.now().UTC().Format(http.TimeFormat))
	if r.URL.Path == "/healthz" {
		x.writeAnswer(handlerAnswer{message: "starting", data: healthState{Status: "ok"}})
		return
	}
	x.writeError(errStarting)
}

// answerReady answers whether the service can serve requests now. Only the database has to work.
// The file store does not count: most requests need no files, and if this process cannot reach the
// file store, other processes cannot reach it either. The answer takes 50 ms at most, even if the
// database or the file store hangs, because it uses the results of the last checks.
func (m *monitoringHandlers) answerReady(*exchange) (handlerAnswer, error) {
	if m.stops.Load() {
		return handlerAnswer{}, store.ErrClosed
	}
	m.dependencies.waitForChecks()
	if _, err := m.dependencies.database.state(); err != nil {
		return handlerAnswer{}, errNotReady
	}
	state := struct {
		Status string   `json:"status"`
		Files  string   `json:"files"`
		Since  api.Time `json:"filesAwaySince,omitzero"`
	}{Status: "ok", Files: "ok"}
	if awaySince, err := m.dependencies.files.state(); err != nil {
		state.Files = "away"
		state.Since = api.TimeOf(m.now().Add(-time.Since(awaySince))) // by the clock of the service
	}
	return handlerAnswer{message: "ready", data: state}, nil
}

// answerDocument returns a handler that answers with a description of the API, as a file
// with the given name.
func answerDocument(name string, document func() []byte) operationHandler {
	return func(*exchange) (handlerAnswer, error) {
		return handlerAnswer{
			file: &fileAnswer{
				name:       name,
				mediaType:  "application/yaml",
				content:    document(),
				isDocument: true,
			},
		}, nil
	}
}
