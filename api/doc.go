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
// If the context was cancelled, the call returns the error of the context. If a call sends
// several requests and one of them fails, its error says what was done before, such as
// [*IncompleteError]; the call then also returns the data read before ([IsPartial]). Use
// errors.As to find these types.
//
// A list that is null or missing is an error and never an empty list. If the response to a
// change does not confirm it, [MaybeApplied] holds for the error. The client follows redirects
// on the same host: 307 and 308 for every call, other redirects only for reads. If the service
// does not have the usual HTTP method of a change, the client tries other methods
// ([WithMethods]).
//
// The "check" tags of request types describe the service's requirements. The client does not
// check them, because the service can be stricter or more lenient than this version.
//
// The client sends the API key only to the hosts of the two addresses. Errors and formatted
// clients never contain the key.
package api
