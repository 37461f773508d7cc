// Package api is a client for the drone-survey order service, with the types and
// enumerations of its interfaces, and typed errors.
//
// Names follow the service's OpenAPI document, and read.go decodes the responses that it
// describes. The client accepts other responses as well, by the rules of package tolerant:
// enumerations can have unknown values, unknown members are kept in Extra, and missing or
// mistyped members never make a record unreadable. [DecodeRecord] and [EncodeRecord] apply the
// same rules to stored records; package encoding/json does not.
//
//	c, err := api.NewClient(baseURL, api.WithKey(key))
//	for order, err := range c.Orders.All(ctx) {
//		...
//	}
//
// A failed call returns an [*Error] if the service responded, and a [*TransportError] if not.
// If the context was cancelled, the call returns the error of the context. A call that sends
// several requests can fail after some of them: it then returns the data that it has read,
// and an error such as [*IncompleteError]; see [IsPartial]. Use errors.As to find these types.
//
// A change that failed may have been made nevertheless, for example if its response was lost;
// see [MaybeApplied]. A list that is null or missing is an error and never an empty list.
//
// The client follows redirects on the same host: 307 and 308 for every call, other redirects
// only for reads. If the service does not have the usual HTTP method of a change, the client
// tries other methods ([WithMethods]).
//
// The "check" tags of request types describe the service's requirements. The client does not
// check them, because the service can be stricter or more lenient than this version.
//
// The client sends the API key only to the hosts of the two addresses. Errors and formatted
// clients never contain the key.
package api
