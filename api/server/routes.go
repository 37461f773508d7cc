package server

import (
	"net/http"
	"slices"
	"strings"

	"flightdesk/api"
	"flightdesk/api/ops"
)

// apiRoute is one operation. A route without scope needs no key.
type apiRoute struct {
	method string
	path   string
	scope  api.Scope
	handle operationHandler
}

// routeTable has handlers by method and path.
type routeTable map[string]operationHandler

// routesBelow returns the routes of a table below a path, all of one scope.
func (t routeTable) routesBelow(base string, scope api.Scope) []apiRoute {
	var all []apiRoute
	for pattern, handle := range t {
		method, path, _ := strings.Cut(pattern, " ")
		all = append(all, apiRoute{method, base + path, scope, handle})
	}
	return all
}

// These stand for the scope of operations that API keys do not open, but those of
// operators whose role covers them. The figures are there for who asks on the machine
// itself, too.
const (
	scopeOperations     api.Scope = "operations"
	scopeAdministration api.Scope = "administration"
	scopeMonitoring     api.Scope = "monitoring"
)

// neededRole returns the role that an operation needs which API keys do not open.
func (r apiRoute) neededRole() ops.Role {
	if r.scope == scopeAdministration {
		return ops.RoleAdmin
	}
	if r.isRead() {
		return ops.RoleRead
	}
	return ops.RoleOperate
}

// newHandler returns the handler of all operations.
func (g *gateway) newHandler(table []apiRoute) http.Handler {
	byPath := map[string][]apiRoute{}
	for _, r := range table {
		byPath[r.path] = append(byPath[r.path], r)
	}
	mux := http.NewServeMux()
	for path, methods := range byPath {
		mux.Handle(path, g.observeRequest(func(x *exchange) { g.dispatchMethod(x, methods) }))
	}
	nowhere := g.observeRequest(func(x *exchange) { x.writeError(errNoRoute) })
	mux.Handle("/", nowhere)
	mux.Handle(strings.TrimSuffix(filesPath, "/"), nowhere) // which the router would redirect
	mux.Handle(filesPath, g.observeRequest(func(x *exchange) { x.writeError(errLink) }))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isClean(r.URL.EscapedPath()) {
			nowhere.ServeHTTP(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

func allowedMethods(methods []apiRoute) string {
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
