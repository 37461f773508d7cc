package server

import "flightdesk/api/server/internal/domain"

type operationHandler = func(*exchange) (handlerAnswer, error)

// readFirst returns a handler that reads the JSON body of a request and calls act with it.
func readFirst[B any](act func(x *exchange, in *B) (handlerAnswer, error)) operationHandler {
	return func(x *exchange) (handlerAnswer, error) {
		var in B
		if err := x.readInto(&in); err != nil {
			return handlerAnswer{}, err
		}
		return act(x, &in)
	}
}

// moveFound returns a handler that finds the record of a request with find, reads the body, and
// calls act with both. The record is found first, so that clients get no validation errors for
// records that they may not see.
func moveFound[T, B any](
	find func(*exchange) (T, error), act func(x *exchange, found T, in *B) (handlerAnswer, error),
) operationHandler {
	return showFound(find, func(x *exchange, found T) (handlerAnswer, error) {
		return readFirst(func(x *exchange, in *B) (handlerAnswer, error) { return act(x, found, in) })(x)
	})
}

// showFound returns a handler that finds the record of a request with find and calls act with it.
func showFound[T any](
	find func(*exchange) (T, error), act func(x *exchange, found T) (handlerAnswer, error),
) operationHandler {
	return func(x *exchange) (handlerAnswer, error) {
		found, err := find(x)
		if err != nil {
			return handlerAnswer{}, err
		}
		return act(x, found)
	}
}

// findRecord returns a function that finds the record with the UUID in the path. notFound is
// the message of the error if there is no such record.
func findRecord[T any](b *handlerBase, notFound string) func(*exchange) (T, error) {
	return func(x *exchange) (T, error) {
		return domain.Find[T](x.r.Context(), b.domain, x.uuid(), notFound)
	}
}

// noBody accepts a missing body or an empty object.
type noBody struct{}

// reasonBody is the request body of operations that need a reason.
type reasonBody struct {
	Reason string `json:"reason" check:"required,text"`
}
