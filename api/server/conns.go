package server

import (
	"container/list"
	"net"
	"net/http"
	"sync"
)

// waitingConns lists the connections that have no request under way, in the order in which
// they began to wait. It is safe for concurrent use.
type waitingConns struct {
	most int // connections; for one more the first is closed

	mu       sync.Mutex
	order    *list.List // of waitingConn
	elements map[net.Conn]*list.Element
	stopping bool
}

// waitingConn is a connection without a request.
type waitingConn struct {
	net.Conn
	unused bool // no request was ever received
}

func newWaitingConns(most int) *waitingConns {
	return &waitingConns{most: most, order: list.New(), elements: map[net.Conn]*list.Element{}}
}

// update follows the state of a connection. It is the ConnState of a server.
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
	if w.order.Len() > w.most {
		w.closeFirst()
	}
}

// closeFirst closes the connection that has waited longest. The caller has the lock.
func (w *waitingConns) closeFirst() {
	first := w.order.Remove(w.order.Front()).(waitingConn)
	delete(w.elements, first.Conn)
	_ = first.Close()
}

// closeUnused closes connections that clients opened in advance, now and from now on:
// Shutdown waits five seconds for each to send its first request.
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
