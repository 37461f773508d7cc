// Package connect is the page of the first run: it connects with an account of
// a service, or opens the demo.
package connect
