package server

import (
	"net/http"
	"slices"
	"strings"

	"flightdesk/api"
	"flightdesk/api/ops"
)

// apiRoute is an operation. A route without scope needs no key.
type apiRoute struct {
	method string
	path   string
	scope  api.Scope
	handle operationHandler
}

// routeTable maps patterns of method and path to handlers.
type routeTable map[string]operationHandler

// routesBelow returns the routes of the table. The paths in the table are relative to base,
// and all routes require the same scope.
func (t routeTable) routesBelow(base string, scope api.Scope) []apiRoute {
	var routes []apiRoute
	for pattern, handle := range t {
		method, path, _ := strings.Cut(pattern, " ")
		routes = append(routes, apiRoute{
			method: method,
			path:   base + path,
			scope:  scope,
			handle: handle,
		})
	}
	return routes
}

// Scopes of operations that need an operations user with a sufficient role. API keys of accounts
// never have these scopes. Requests from this machine may use scopeMonitoring without a key.
const (
	scopeOperations     api.Scope = "operations"
	scopeAdministration api.Scope = "administration"
	scopeMonitoring     api.Scope = "monitoring"
)

// neededRole returns the minimum role of the operations user for an operation.
func (r apiRoute) neededRole() ops.Role {
	if r.scope == scopeAdministration {
		return ops.RoleAdmin
	}
	if r.isRead() {
		return ops.RoleRead
	}
	return ops.RoleOperate
}

// newHandler returns the handler that passes each request to the operation in table with its method
// and path.
func (g *gateway) newHandler(table []apiRoute) http.Handler {
	byPath := map[string][]apiRoute{}
	for _, r := range table {
		byPath[r.path] = append(byPath[r.path], r)
	}
	mux := http.NewServeMux()
	for path, methods := range byPath {
		mux.Handle(path, g.observeRequest(func(x *exchange) { g.dispatchMethod(x, methods) }))
	}
	notFound := g.observeRequest(func(x *exchange) { x.writeError(errNoRoute) })
	mux.Handle("/", notFound)
	mux.Handle(strings.TrimSuffix(filesPath, "/"), notFound) // the router would redirect this path
	mux.Handle(filesPath, g.observeRequest(func(x *exchange) { x.writeError(errLink) }))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isClean(r.URL.EscapedPath()) {
			notFound.ServeHTTP(w, r)
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

// keyOf returns the API key of a request: the bearer token or X-Api-Key. It returns "" if
// there is no key or several different keys.
func keyOf(h http.Header) string {
	key := ""
	for _, value := range h.Values("Authorization") {
		scheme, token, _ := strings.Cut(value, " ")
		token = strings.TrimSpace(token)
		if !strings.EqualFold(scheme, "Bearer") || !isOnlyKey(token, key) {
			return ""
		}
		key = token
	}
	for _, value := range h.Values("X-Api-Key") {
		if !isOnlyKey(value, key) {
			return ""
		}
		key = value
	}
	return key
}

// isOnlyKey reports whether a header contains an API key and the headers before it contain no other
// key. key is the key in the header, or "". earlier is the key in the headers before it, or "".
func isOnlyKey(key, earlier string) bool {
	isSame := earlier == "" || earlier == key
	return key != "" && isSame
}

// isRead reports whether the operation changes nothing. In the v2 API only the decision
// on a quote is a change.
func (r apiRoute) isRead() bool {
	if strings.HasPrefix(r.path, LegacyPath+"/") {
		return !strings.Contains(r.path, "/quote/")
	}
	return r.method == http.MethodGet
}
