package server

import (
	"net/http"
	"slices"
	"strings"

	"flightdesk/api"
	"flightdesk/kmlcsv"
)

// route is one operation. A route without scope needs no key.
type route struct {
	method string
	path   string
	scope  api.Scope
	handle func(*exchange) (answer, error)
}

// table lists every operation of the service.
func (s *Server) table() []route {
	const public = PublicPath
	return slices.Concat([]route{
		{http.MethodGet, "/healthz", "", s.health},
		{http.MethodGet, "/metrics", monitoring, s.readMetrics},
		{http.MethodGet, "/openapi.yaml", "", s.openAPI},
		{http.MethodPost, public + "/kml/parse", api.ScopeOrdersWrite, s.parseSurvey(kmlcsv.FormatKML)},
		{http.MethodPost, public + "/csv/parse", api.ScopeOrdersWrite, s.parseSurvey(kmlcsv.FormatCSV)},
		{http.MethodGet, public + "/csv/example", api.ScopeOrdersWrite, s.csvExample},
		{http.MethodPost, public + "/orders", api.ScopeOrdersWrite, s.createOrder},
		{http.MethodGet, public + "/orders", api.ScopeOrdersRead, s.listOrders},
		{http.MethodGet, public + "/orders/{code}", api.ScopeOrdersRead, s.getOrder},
		{http.MethodGet, public + "/orders/{code}/missions", api.ScopeOrdersRead, s.listMissions},
	}, s.orderMoves(), s.deliveryReads(), s.webhookRoutes(), s.opsRoutes(), s.byCode(s.opsDeskRoutes()), s.byCode(s.opsRecordRoutes()), s.legacyRoutes(), s.clockRoutes(), s.faultRoutes(), s.resetRoutes(), s.simulatorRoutes())
}

// routes returns the handler of all operations.
func (s *Server) routes() http.Handler {
	byPath := map[string][]route{}
	for _, r := range s.table() {
		byPath[r.path] = append(byPath[r.path], r)
	}
	mux := http.NewServeMux()
	for path, methods := range byPath {
		mux.Handle(path, s.observe(func(x *exchange) { s.dispatch(x, methods) }))
	}
	nowhere := s.observe(func(x *exchange) { s.writeError(x, errNoRoute) })
	mux.Handle("/", nowhere)
	mux.Handle(filesPath, s.observe(func(x *exchange) { s.writeError(x, errLink) }))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isClean(r.URL.EscapedPath()) {
			nowhere.ServeHTTP(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// dispatch finds the operation of a path by the method. GET answers HEAD too.
func (s *Server) dispatch(x *exchange, methods []route) {
	method := x.r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	i := slices.IndexFunc(methods, func(r route) bool { return r.method == method })
	if i < 0 {
		allow := allowed(methods)
		x.w.Header().Set("Allow", allow)
		s.writeError(x, fault(api.CodeMethodNotAllowed, "this path takes "+allow+" only"))
		return
	}
	s.run(x, methods[i])
}

func allowed(methods []route) string {
	var allow []string
	for _, r := range methods {
		allow = append(allow, r.method)
		if r.method == http.MethodGet {
			allow = append(allow, http.MethodHead)
		}
	}
	slices.Sort(allow)
	return strings.Join(allow, ", ")
}

// run checks key and scope, then has the operation done.
func (s *Server) run(x *exchange, r route) {
	err := s.admit(x, r.scope)
	if err != nil {
		s.writeError(x, err)
		return
	}
	a, err := s.steady(x, r)
	if err != nil {
		s.writeError(x, err)
		return
	}
	s.writeAnswer(x, a)
}

func (s *Server) admit(x *exchange, scope api.Scope) (err error) {
	switch scope {
	case "":
		return nil
	case operations:
		return s.admitOps(x)
	case monitoring:
		return s.admitMonitor(x)
	}
	if x.caller, err = s.desk.Authenticate(x.r.Context(), keyOf(x.r.Header)); err != nil {
		return err
	}
	if err := s.checkRate(x); err != nil {
		return err
	}
	if !x.caller.Has(scope) {
		return fault(api.CodeMissingScope, "the API key lacks the scope "+string(scope))
	}
	return nil
}

// keyOf returns the request's API key: the bearer token, or x-api-key. It is
// empty where there is none, and where the two differ.
func keyOf(h http.Header) string {
	key := ""
	for _, v := range h.Values("Authorization") {
		scheme, token, _ := strings.Cut(v, " ")
		token = strings.TrimSpace(token)
		if !strings.EqualFold(scheme, "Bearer") || token == "" || key != "" && key != token {
			return ""
		}
		key = token
	}
	for _, v := range h.Values("X-Api-Key") {
		if v == "" || key != "" && key != v {
			return ""
		}
		key = v
	}
	return key
}

func (s *Server) health(*exchange) (answer, error) {
	return answer{message: "serving", data: struct {
		Status string `json:"status"`
	}{"ok"}}, nil
}
