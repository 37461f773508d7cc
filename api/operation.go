package api

import (
	"maps"
	"net/http"
	"net/url"
	"strings"
)

// Operation describes an API call: the request to send, and what the last response contained. The
// field repeat says whether a failed call can be repeated. That cannot be told from the HTTP
// method: for example, reads of the v2 API use POST.
type Operation struct {
	name   string // for messages: "list orders"
	method string
	path   []string // unescaped segments below the base
	legacy bool     // calls the v2 API
	query  url.Values
	repeat bool // making the call twice has the same effect as making it once
	read   bool // changes nothing
	// methods are HTTP methods to try if the service does not have method at the path. They are only
	// set for changes whose method the specification does not name.
	methods []string

	body   []byte
	upload *formUpload // instead of body
	header http.Header
	// timeoutFactor multiplies the timeout of the connection; 0 counts as 1.
	timeoutFactor int

	attempt   int      // number of the attempt, from 1
	status    int      // HTTP status of the last response
	mediaType string   // of the last response, such as "text/csv"
	links     []string // Link headers of the last response
	address   *url.URL // address of the last request
}

// NewOperation returns an operation for a call such as "GET orders/{}/missions"; values
// replace each {} of the path. Operations other than POST count as repeatable.
func NewOperation(name, call string, values ...string) Operation {
	method, path, _ := strings.Cut(call, " ")
	op := Operation{
		name:   name,
		method: method,
		path:   strings.Split(path, "/"),
		repeat: method != http.MethodPost,
		read:   method == http.MethodGet,
	}
	next := 0
	for i, part := range op.path {
		if part == "{}" {
			op.path[i] = values[next]
			next++
		}
	}
	return op
}

// Repeatable returns the operation as one that can be repeated although it is a POST.
func (op Operation) Repeatable() Operation {
	op.repeat = true
	return op
}

// Slow returns the operation with a timeout that is factor times the timeout of the connection.
func (op Operation) Slow(factor int) Operation {
	op.timeoutFactor = factor
	return op
}

// WithQuery returns the operation with a query parameter, unless its value is empty.
func (op Operation) WithQuery(name, value string) Operation {
	if value != "" {
		query := url.Values{name: {value}}
		maps.Copy(query, op.query)
		op.query = query
	}
	return op
}
