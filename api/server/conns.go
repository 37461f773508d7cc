package server

import (
	"container/list"
	"net"
	"net/http"
	"sync"
)

// waitingConns lists the connections that are waiting for a request, longest waiting first. If
// there are more than limit, it closes the first one. It is safe for concurrent use.
type waitingConns struct {
	limit int // maximum number of connections in the list

	mu       sync.Mutex
	order    *list.List // of waitingConn
	elements map[net.Conn]*list.Element
	stopping bool
}

// waitingConn is a connection that is waiting for a request.
type waitingConn struct {
	net.Conn
	unused bool // has not received any request yet
}

func newWaitingConns(limit int) *waitingConns {
	return &waitingConns{limit: limit, order: list.New(), elements: map[net.Conn]*list.Element{}}
}

// update adds a connection to the list if state is [http.StateNew] or [http.StateIdle], and
// otherwise removes it. If the list gets too long, update closes the connection that has waited
// longest. It is used as [http.Server.ConnState].
func (w *waitingConns) update(conn net.Conn, state http.ConnState) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if element, ok := w.elements[conn]; ok {
		w.order.Remove(element)
		delete(w.elements, conn)
	}
	if state != http.StateNew && state != http.StateIdle {
		return
	}
	if w.stopping {
		_ = conn.Close()
		return
	}
	w.elements[conn] = w.order.PushBack(waitingConn{Conn: conn, unused: state == http.StateNew})
	if w.order.Len() > w.limit {
		w.closeFirst()
	}
}

// closeFirst closes the connection that has waited longest. The caller holds w.mu.
func (w *waitingConns) closeFirst() {
	first := w.order.Remove(w.order.Front()).(waitingConn)
	delete(w.elements, first.Conn)
	_ = first.Close()
}

// closeUnused closes the connections that have not received any request. From then on,
// update closes every connection that waits. Otherwise [http.Server.Shutdown] would wait up
// to five seconds for the first request of a new connection.
func (w *waitingConns) closeUnused() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopping = true
	for element := w.order.Front(); element != nil; element = element.Next() {
		if conn := element.Value.(waitingConn); conn.unused {
			_ = conn.Close()
		}
	}
}
