package api

import (
	"net/http"
	"sync"
)

// contact is what a client last heard of its service.
type contact struct {
	mu      sync.Mutex
	answers int64
	err     error
	trouble int
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

// Trouble is the status of the last answer where that says that the service
// fails (5xx) or does not take the key (401); 0 otherwise.
func (c *Client) Trouble() int {
	c.contact.mu.Lock()
	defer c.contact.mu.Unlock()
	return c.contact.trouble
}

func (k *contact) answered(status int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.trouble = 0
	if status >= http.StatusInternalServerError || status == http.StatusUnauthorized {
		k.trouble = status
	}
}
