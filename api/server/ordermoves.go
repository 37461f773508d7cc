package server

import (
	"flightdesk/api/server/internal/store"
)

// findOrder returns the order whose UUID is in the path of a request. In the public API, the order
// must belong to the caller. In the operations API, it can belong to any account.
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
