package server

import (
	"net/http"

	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

// operationHandler handles an operation.
type operationHandler = func(*exchange) (handlerAnswer, error)

// readFirst returns a handler that reads the body and calls act.
func readFirst[B any](act func(x *exchange, in *B) (handlerAnswer, error)) operationHandler {
	return func(x *exchange) (handlerAnswer, error) {
		var in B
		if err := x.readInto(&in); err != nil {
			return handlerAnswer{}, err
		}
		return act(x, &in)
	}
}

// moveFound returns a handler that finds the record of the request, reads the body and
// calls act. The record is found first, so that clients get no validation errors for
// records that they may not see.
func moveFound[T, B any](
	find func(*exchange) (T, error), act func(x *exchange, found T, in *B) (handlerAnswer, error),
) operationHandler {
	return showFound(find, func(x *exchange, found T) (handlerAnswer, error) {
		return readFirst(func(x *exchange, in *B) (handlerAnswer, error) { return act(x, found, in) })(x)
	})
}

// showFound returns a handler that finds the record of the request and calls act.
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

// answerWith answers with data, or with err if it is not nil.
func answerWith(message string, data any, err error) (handlerAnswer, error) {
	if err != nil {
		return handlerAnswer{}, err
	}
	return handlerAnswer{message: message, data: data}, nil
}

// answerCreated answers with a created record, or with err if it is not nil.
func answerCreated(message string, data any, err error) (handlerAnswer, error) {
	a, err := answerWith(message, data, err)
	a.status = http.StatusCreated
	return a, err
}

// noBody accepts a missing body or an empty object.
type noBody struct{}

// reasonBody is the request body of operations that need a reason.
type reasonBody struct {
	Reason string `json:"reason" check:"required,text"`
}

// findOrder returns the order in the path of a request. It must belong to the caller, or to
// any account in the operations API.
func (b *handlerBase) findOrder(x *exchange) (store.Order, error) {
	return b.domain.Orders.ByUUID(x.r.Context(), x.caller, x.uuid())
}

func (b *handlerBase) cancelOrder(x *exchange, o store.Order, _ *noBody) (handlerAnswer, error) {
	return movedOrder(b.domain.Orders.Cancel(x.r.Context(), x.caller, o.UUID))
}

func (b *handlerBase) archiveOrder(x *exchange, o store.Order, in *reasonBody) (handlerAnswer, error) {
	return movedOrder(b.domain.Orders.Archive(x.r.Context(), x.caller, o.UUID, in.Reason))
}

func (b *handlerBase) rejectOrder(x *exchange, o store.Order, in *reasonBody) (handlerAnswer, error) {
	return movedOrder(b.domain.Orders.Reject(x.r.Context(), x.caller, o.UUID, in.Reason))
}

func (b *handlerBase) reportNotFeasible(x *exchange, o store.Order, in *reasonBody) (handlerAnswer, error) {
	return movedOrder(b.domain.Orders.NotFeasible(x.r.Context(), o.UUID, in.Reason))
}

func (b *handlerBase) deleteOrder(x *exchange, o store.Order, _ *noBody) (handlerAnswer, error) {
	return movedOrder(b.domain.Orders.Delete(x.r.Context(), o.UUID))
}

func movedOrder(o store.Order, missions []store.Mission, err error) (handlerAnswer, error) {
	return answerWith("order "+o.Code+" is "+string(o.Status), orderDetail(o, missions), err)
}
