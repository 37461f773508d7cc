// Package domain is the business of the service: who may read what, what
// becomes of a request that is valid in form, which codes and statuses things
// get. It knows nothing of HTTP and nothing of SQL.
//
// Refusals are an [*Error] with a code of the interface; everything else is a
// fault of the service itself.
package domain
