package api

import "sync"

// contact is what a client last heard of its service.
type contact struct {
	mu      sync.Mutex
	answers int64
	err     error
}

// Contact tells how many answers the service has given so far, of whatever
// status, and why the last request brought none; nil where it brought one.
func (c *Client) Contact() (answers int64, err error) {
	c.contact.mu.Lock()
	defer c.contact.mu.Unlock()
	return c.contact.answers, c.contact.err
}

// heard notes an answer, or why there is none.
func (k *contact) heard(err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.err = err; err == nil {
		k.answers++
	}
}
