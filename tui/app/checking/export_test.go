package checking

import "time"

// WithTimeout returns a checker that stops reading a file after a time.
func (c Checker) WithTimeout(limit time.Duration) Checker {
	c.readTimeout = limit
	return c
}
