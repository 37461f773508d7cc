package api

import (
	"net/http"
	"sync"
)

// lastContact records the outcome of the last request.
type lastContact struct {
	mu        sync.Mutex
	responses int64
	err       error
	trouble   Trouble
}

// Contact returns the number of responses from the service so far, with any status. err is the reason why the last
// request got no response, or nil if it got one.
func (c *Connection) Contact() (responses int64, err error) {
	c.contact.mu.Lock()
	defer c.contact.mu.Unlock()
	return c.contact.responses, c.contact.err
}

// recordResult records the result of a request: nil if it got a response, and otherwise the error.
func (k *lastContact) recordResult(err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.err = err
	if err == nil {
		k.responses++
	}
}

// Trouble is a problem that a response shows: the service failed (5xx) or rejected the API key (401),
// or something else responded.
type Trouble struct {
	Status  int  // HTTP status of the response; 0 if there is no problem
	Foreign bool // the response is not in the service's format, such as a web page of a proxy
}

// ServiceTrouble returns the problem that the last response shows, or the zero value if it shows none.
func (c *Connection) ServiceTrouble() Trouble {
	c.contact.mu.Lock()
	defer c.contact.mu.Unlock()
	return c.contact.trouble
}

// updateTrouble records whether the status and the headers of a response show a problem with the service.
func (k *lastContact) updateTrouble(resp *http.Response) {
	isFailure := resp.StatusCode >= http.StatusInternalServerError
	isRejectedKey := resp.StatusCode == http.StatusUnauthorized
	isPage := isWebPage(resp)
	if isFailure || isRejectedKey || isPage {
		k.setTrouble(Trouble{Status: resp.StatusCode, Foreign: isPage})
	} else {
		k.setTrouble(Trouble{})
	}
}

func (k *lastContact) setTrouble(trouble Trouble) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.trouble = trouble
}
