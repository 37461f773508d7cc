package api

import (
	"net/http"
	"sync"
)

// lastContact is what a client last heard of its service.
type lastContact struct {
	mu      sync.Mutex
	answers int64
	err     error
	trouble int
}

// Contact returns how many answers the service has given so far, of whatever
// status, and why the last request brought none; nil where it brought one.
func (c *Client) Contact() (answers int64, err error) {
	c.contact.mu.Lock()
	defer c.contact.mu.Unlock()
	return c.contact.answers, c.contact.err
}

// noteAnswer notes an answer, or why there is none.
func (k *lastContact) noteAnswer(err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.err = err; err == nil {
		k.answers++
	}
}

// ServiceTrouble returns the status of the last answer where that says that the service
// fails (5xx) or does not take the key (401); 0 otherwise.
func (c *Client) ServiceTrouble() int {
	c.contact.mu.Lock()
	defer c.contact.mu.Unlock()
	return c.contact.trouble
}

func (k *lastContact) noteStatus(status int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.trouble = 0
	if status >= http.StatusInternalServerError || status == http.StatusUnauthorized {
		k.trouble = status
	}
}
