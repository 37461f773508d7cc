// Package domain contains the business rules of the service: who may read what, which
// codes and statuses objects get, and what a valid request changes. It does not depend on
// HTTP or SQL.
//
// A request that is refused returns an [*Error] with an error code of the API. Other
// errors are faults of the service itself.
package domain
