package server

import (
	"sync"

	"flightdesk/api/server/internal/store"
)

// maxHeld is how much is held of what waits to be sent, in bytes.
const maxHeld = 2 << 20

// heldDeliveries are deliveries that have just been kept and need not be read from the
// store again for their first try. What is beyond maxHeld is not held.
type heldDeliveries struct {
	mu   sync.Mutex
	by   map[int64]store.Delivery // by id
	size int
}

// deliverySize returns about what a delivery takes of memory.
func deliverySize(d store.Delivery) int { return 512 + len(d.Body) }

// holdDeliveries holds deliveries while there is room.
func (h *heldDeliveries) holdDeliveries(deliveries []store.Delivery) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.by == nil {
		h.by = map[int64]store.Delivery{}
	}
	for _, d := range deliveries {
		h.dropDelivery(d.ID) // sent anew, with another body
		if w := deliverySize(d); h.size+w <= maxHeld {
			h.by[d.ID] = d
			h.size += w
		}
	}
}

// takeHeld gives out those of the deliveries that are held, and the ids of the
// others.
func (h *heldDeliveries) takeHeld(ids []int64) (found []store.Delivery, others []int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, id := range ids {
		if d, there := h.by[id]; there {
			found = append(found, d)
			h.dropDelivery(id)
		} else {
			others = append(others, id)
		}
	}
	if len(h.by) == 0 {
		h.by = nil // a map keeps its room
	}
	return found, others
}

// forgetEndpoint drops what is held for an endpoint.
func (h *heldDeliveries) forgetEndpoint(webhookID int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for id, d := range h.by {
		if d.WebhookID == webhookID {
			h.dropDelivery(id)
		}
	}
}

// dropDelivery takes one out; h.mu is held.
func (h *heldDeliveries) dropDelivery(id int64) {
	if d, there := h.by[id]; there {
		h.size -= deliverySize(d)
		delete(h.by, id)
	}
}
