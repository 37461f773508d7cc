// Package api speaks the drone-survey order service's interfaces: their types
// and enumerations, a [Client], and typed errors.
//
// Names are the specification's. The client is written for a service that may
// differ from the one it knows: enumerations are open strings, fields it does
// not know are kept in Extra, and missing or mistyped fields never make a record
// unreadable. [DecodeRecord] and [EncodeRecord] apply the same rules to stored
// records; package encoding/json does not.
//
//	c, err := api.NewClient(baseURL, api.WithKey(key))
//	for order, err := range c.Orders.All(ctx) {
//		...
//	}
//
// Every failed call returns an [*Error] (the service answered) or a
// [*TransportError] (it did not); both work with errors.As. Every
// call ends with its context; the error of a cancelled context wins over the
// transport's.
//
// The "check" tags of request types state what the service requires. The client
// does not apply them: the service decides, and can be stricter or more lenient
// than this version.
//
// Promises: the API key is sent to the base URL's host only, and is never part
// of an error or a formatted client.
package api
