// Package api is a client for the drone-survey order service, with the types and
// enumerations of its interfaces, and typed errors.
//
// Names follow the service's OpenAPI document, and read.go reads the answers that it
// describes. The client accepts other answers too, by the rules of package tolerant:
// enumerations are open strings, unknown fields are kept in Extra, and missing or mistyped
// fields never make a record unreadable. [DecodeRecord] and [EncodeRecord] apply the same
// rules to stored records; package encoding/json does not.
//
//	c, err := api.NewClient(baseURL, api.WithKey(key))
//	for order, err := range c.Orders.All(ctx) {
//		...
//	}
//
// A failed call returns an [*Error] if the service answered, otherwise a
// [*TransportError]; if its context is cancelled, the context's error. If a
// call of several requests fails at one of them, its error says what was done, such as
// [*IncompleteError]. errors.As finds each of these types. What was read before such an
// error is returned with it ([IsPartial]).
//
// A list that is null or missing is an error, never an empty list: the service did not say
// that there is nothing. After a change whose answer does not confirm it, [MaybeApplied]
// holds for the error. Redirects are followed on the same host: 307 and 308 of every call,
// others of reads. A change is tried by another method if the service does not have the
// usual one at its path ([WithMethods]).
//
// The "check" tags of request types state what the service requires. The client
// does not apply them: the service decides, and can be stricter or more lenient
// than this version.
//
// Promises: the API key is sent only to the hosts of the two addresses, and is never
// part of an error or a formatted client.
package api
